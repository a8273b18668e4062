/// Remembers the data file as it was behind the daemon's last change of it. So a glance tells whether
/// others have changed the file since: cleaners, backups, users.
struct OwnChanges: Hashable, Sendable {
  /// The file behind the last change of the daemon, or as it was when others had changed it; nil if
  /// it could not be looked at.
  private(set) var noted: FileGlance?
  /// True while the daemon changes the file.
  private(set) var isUnderWay = false
  /// The number of the daemon's changes so far.
  private var changes = 0
  /// How often others were found to have changed the file.
  private(set) var doubts = 0

  init(noted: FileGlance? = nil) {
    self.noted = noted
  }

  /// True if nobody but the daemon needs to have changed the file that is as `seen` now. While the
  /// daemon changes it, only a file that was cut or exchanged shows.
  func explain(_ seen: FileGlance) -> Bool {
    guard let noted else { return false }
    return seen == noted || isUnderWay && seen.inode == noted.inode && seen.size >= noted.size
  }

  /// True if others must have cut or exchanged the file that is as `seen` behind a change of the daemon,
  /// which never makes it shorter.
  func isCut(_ seen: FileGlance) -> Bool {
    guard let noted else { return false }
    return seen.inode != noted.inode || seen.size < noted.size
  }

  /// Notes that the daemon begins to change the file.
  mutating func begin() {
    isUnderWay = true
    changes += 1
  }

  /// Notes the file behind the daemon's change; nil if it could not be looked at.
  mutating func end(_ seen: FileGlance?) {
    isUnderWay = false
    noted = seen
  }

  /// Notes that others have changed the file, which is as `seen` now.
  mutating func doubt(_ seen: FileGlance) {
    noted = seen
    doubts += 1
  }
}
