import Blocks
import HTTP
import Storage
import Streaming

/// One version of one entry: its inode, its origin, its place in the cache, and what fills it.
///
/// Safe from any thread.
final class EntryVersion: Sendable {
  let number: Int
  /// The catalog's.
  let inode: UInt64
  /// Scheme, host and port; for the limit of what waits for one origin.
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
    originName = (try? WebURL(parsing: origin.url))?.origin.description ?? ""
  }

  /// What is kept, on disk or in memory.
  var holding: Holding {
    let fill = filler.snapshot
    let bytes = fill.layout.map { fill.held.bytes(in: $0) } ?? 0
    return Holding(bytes: bytes, isSound: file?.isSound ?? false)
  }

  /// Whether something of it is held that its file does not have.
  var isPartlyInMemory: Bool {
    holding.bytes > file?.heldBytes ?? 0
  }

  /// Where it lies, as `Holding.stretches`: `holding` is asked for too often to know it.
  var stretches: [ByteRange] {
    let fill = filler.snapshot
    return fill.layout.map { fill.held.stretches(in: $0, atMost: Holding.mostStretches) } ?? []
  }

  /// Whether what comes of it may go to the disk; false: that has refused to open its file.
  var canBeKept: Bool {
    // In this order: the file is there before the representation is told.
    filler.representation == nil || file != nil
  }

  /// Its file in the cache; nil before the length is proved, or where the disk refuses.
  var file: EntryFile? {
    store.value?.file
  }
}
