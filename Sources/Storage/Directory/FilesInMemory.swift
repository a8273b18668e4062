/// The files of one feed's folder that this process has in memory, and its pins.
struct FilesInMemory: Sendable {
  struct Weak: Sendable {
    weak var file: EntryFile?
  }

  var open: [String: Weak] = [:]
  /// The closed files that evictions take bytes from. They tell how many of their bytes are cached
  /// while the eviction lasts.
  var evicted: [String: EntryFile] = [:]
  var isClosed = false
  var pinned = PinnedNames()
  /// The pins as the disk has them.
  var savedPins = PinnedNames()
}
