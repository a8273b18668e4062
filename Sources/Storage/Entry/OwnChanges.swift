/// The state of the data file after the daemon's last change. It shows whether others, such as
/// cleaners, backups or users, have changed the file since.
struct OwnChanges: Hashable, Sendable {
  /// The state after the daemon's last change, or as it was found after a change by others; nil if
  /// the file could not be looked at.
  private(set) var noted: FileGlance?
  /// True while the daemon changes the file.
  private(set) var isUnderWay = false
  /// The number of the daemon's changes so far. So no two values from before and after a change are
  /// equal.
  private var changes = 0
  /// The number of times that others were found to have changed the file.
  private(set) var doubts = 0

  init(noted: FileGlance? = nil) {
    self.noted = noted
  }

  /// True if the daemon's own changes can explain the present state `seen`. While the daemon is
  /// changing the file, only a cut or exchanged file is noticed.
  func explain(_ seen: FileGlance) -> Bool {
    guard let noted else { return false }
    return seen == noted || isUnderWay && seen.inode == noted.inode && seen.size >= noted.size
  }

  /// True if others must have cut or exchanged the file: `seen` is its state after a change by the
  /// daemon. The daemon itself cuts it only in `EntryFile.verify`, which compares the blocks
  /// anyway.
  func isCut(_ seen: FileGlance) -> Bool {
    guard let noted else { return false }
    return seen.inode != noted.inode || seen.size < noted.size
  }

  /// Notes that the daemon begins to change the file.
  mutating func begin() {
    isUnderWay = true
    changes += 1
  }

  /// Notes the state after the daemon's change; nil if the file could not be looked at.
  mutating func end(_ seen: FileGlance?) {
    isUnderWay = false
    noted = seen
  }

  /// Notes that others have changed the file, whose state is `seen` now.
  mutating func doubt(_ seen: FileGlance) {
    noted = seen
    doubts += 1
  }
}
