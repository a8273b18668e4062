import Addresses
import Blocks
import Filling
import Storage

/// One version of one entry: its inode, its origin, its place in the cache, and its filler.
///
/// Safe from any thread.
final class EntryVersion: Sendable {
  let number: Int
  /// The inode's number in the catalog. `InodeSpace` turns it into the number in the mount.
  let inode: UInt64
  /// Scheme, host and port of the origin. The number of waiting reads of each origin is limited.
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

  /// The number of cached bytes, on disk or in memory, and whether the file is durable. It has no
  /// extents.
  var holding: Holding {
    if let growth = filler.growth {
      return Holding(bytes: growth.cachedByteCount, isDurable: false)
    }
    let fill = filler.snapshot
    let bytes = fill.layout.map { fill.cachedBlocks.bytes(in: $0) } ?? 0
    return Holding(bytes: bytes, isDurable: file?.isDurable ?? false)
  }

  /// True if some of the version's bytes are cached only in memory.
  var isPartlyInMemory: Bool {
    holding.bytes > file?.cachedByteCount ?? 0
  }

  /// The cached extents, as in `Holding.extents`. `holding` does not have them, because it is read
  /// too often.
  var extents: [ByteRange] {
    if let growth = filler.growth { return growth.extents(atMost: Holding.maxExtents) }
    let fill = filler.snapshot
    return fill.layout.map { fill.cachedBlocks.extents(in: $0, atMost: Holding.maxExtents) } ?? []
  }

  /// True if the version's bytes can be written to the disk; false if the disk refused to open its
  /// file.
  var canBeCached: Bool {
    // The representation must be read before the file, because it is set after the file.
    filler.representation == nil || file != nil
  }

  /// The file in the cache. It is nil before the length is proved, or if the disk refuses to open
  /// it.
  var file: EntryFile? {
    store.value?.file
  }
}
