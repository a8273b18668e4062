/// The files of one feed's folder that this process has open, by name, and the folder's pins.
struct FilesInMemory: Sendable {
  struct Weak: Sendable {
    weak var file: EntryFile?
  }

  var open: [String: Weak] = [:]
  /// The files that are not open for readers, and from which an eviction is taking bytes. While it
  /// lasts, they tell how many of their bytes are cached.
  var evicted: [String: EntryFile] = [:]
  var isClosed = false
  var pinned = PinnedNames()
  /// The pins that are stored on the disk. They differ from `pinned` if the disk refused those.
  var savedPins = PinnedNames()
}
