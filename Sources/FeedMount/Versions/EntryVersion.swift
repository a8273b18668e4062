import Addresses
import Blocks
import HTTP
import Storage
import Streaming

/// One version of one entry: its inode, its origin, its place in the cache, and its filler.
///
/// Safe from any thread.
final class EntryVersion: Sendable {
  let number: Int
  /// The number in the catalog, not yet in the mount's `InodeSpace`.
  let inode: UInt64
  /// Scheme, host and port; for the limit of reads that wait for one origin.
  let originName: String
  let origin: HTTPOrigin
  let filler: EntryFiller
  private let store: EntryStoreBox

  init(
    number: Int, inode: UInt64, origin: HTTPOrigin, filler: EntryFiller, store: EntryStoreBox
  ) {
    self.number = number
    self.inode = inode
    self.origin = origin
    self.filler = filler
    self.store = store
    originName = (try? WebAddress(parsing: origin.url))?.origin.description ?? ""
  }

  /// The cached bytes, on disk or in memory, and whether the file is sound; without extents.
  var holding: Holding {
    let fill = filler.snapshot
    let bytes = fill.layout.map { fill.held.bytes(in: $0) } ?? 0
    return Holding(bytes: bytes, isDurable: file?.isDurable ?? false)
  }

  /// Whether a part of it is cached in memory alone.
  var isPartlyInMemory: Bool {
    holding.bytes > file?.heldBytes ?? 0
  }

  /// The cached extents, as in `Holding.stretches`: `holding` is asked for too often to know them.
  var stretches: [ByteRange] {
    let fill = filler.snapshot
    return fill.layout.map { fill.held.stretches(in: $0, atMost: Holding.maxStretches) } ?? []
  }

  /// Whether its bytes may go to the disk; false: the disk refused to open its file.
  var canBeKept: Bool {
    // In this order: the file is there before the representation is known.
    filler.representation == nil || file != nil
  }

  /// The file in the cache; nil before the length is proved, or where the disk refuses.
  var file: EntryFile? {
    store.value?.file
  }
}
