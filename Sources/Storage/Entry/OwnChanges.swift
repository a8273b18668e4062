/// The state of the data file after the daemon's last change. It shows whether anyone else, such as
/// a cleaning program, a backup or the user, has changed the file since.
struct OwnChanges: Hashable, Sendable {
  /// The file's state after the daemon's last change, or, if another program has changed the file
  /// since, as the daemon found it then; nil if the state could not be read.
  private(set) var noted: FileGlance?
  /// True while the daemon changes the file.
  private(set) var isUnderWay = false
  /// The number of the daemon's changes so far. It makes the values of `OwnChanges` before and
  /// after a change differ.
  private var changes = 0
  /// How often the daemon has found that another program had changed the file.
  private(set) var doubts = 0

  init(noted: FileGlance? = nil) {
    self.noted = noted
  }

  /// True if the daemon's own changes can explain the present state `seen`. While the daemon is
  /// changing the file, this is false only if the file is shorter or another one than before.
  func explain(_ seen: FileGlance) -> Bool {
    guard let noted else { return false }
    return seen == noted || isUnderWay && seen.inode == noted.inode && seen.size >= noted.size
  }

  /// True if another program must have cut or exchanged the file. `seen` is its state after a
  /// change by the daemon. The daemon itself cuts the file only in `EntryFile.verify`, which
  /// compares the blocks after that anyway.
  func isCut(_ seen: FileGlance) -> Bool {
    guard let noted else { return false }
    return seen.inode != noted.inode || seen.size < noted.size
  }

  /// Notes that the daemon begins to change the file.
  mutating func begin() {
    isUnderWay = true
    changes += 1
  }

  /// Notes that the daemon's change is over, and the file's state `seen` after it; nil if the state
  /// could not be read.
  mutating func end(_ seen: FileGlance?) {
    isUnderWay = false
    noted = seen
  }

  /// Notes that another program has changed the file, whose state is `seen` now.
  mutating func doubt(_ seen: FileGlance) {
    noted = seen
    doubts += 1
  }
}
