import Blocks
import Locks
import SystemPackage

/// Frees the disk space of cached blocks.
extension EntryFile {
  /// Notes that a reader has played the file to its end. Such a file is unlikely to be played again
  /// soon. So the next close gives it an old date, and it is evicted before other files. For any
  /// thread.
  package func wasPlayedToItsEnd() {
    state.withLock { $0.date = .longAgo }
  }

  /// Forgets the blocks of `runs` and frees their disk space. The date of the last use stays. No
  /// thread is allowed to read or write through this object during the call.
  ///
  /// Returns false if the disk fails, or if the file is also open elsewhere, because readers there
  /// would get zeros. In both cases `cachedBlocks` has only blocks that are still in the file.
  func punch(_ runs: [Range<BlockIndex>]) -> Bool {
    guard isWritable, let before = try? data.status() else { return false }
    var isBegun = false
    writing.lock()
    defer { writing.unlock() }
    do {
      try changeData { () throws(Errno) in
        try data.punch(runs.map { layout.bytes(of: $0) }) {
          // The clean mark must be removed first, because it says that the bitmap is right.
          isBegun = (try? clearCleanMark(durably: true)) != nil
          if isBegun { for run in runs { drop(run) } }
          return isBegun
        }
      }
      state.withLock { $0.date = .at(before.modified) }
      return isBegun
    } catch {
      return false
    }
  }
}
