import Blocks
import NIOConcurrencyHelpers
import SystemPackage

/// Frees the disk space of cached blocks.
extension EntryFile {
  /// Notes that a reader has played the file to its end, and is unlikely to do so again soon: the
  /// next close gives it a date that evicts it before others. For any thread.
  package func wasPlayedToItsEnd() {
    state.withLockedValue { $0.date = .longAgo }
  }

  /// Forgets the blocks of `runs` and frees their disk space; the date of the last use stays. Only
  /// while no thread reads or writes through this object.
  ///
  /// Returns false if the file is open elsewhere too, where zeros would be read, or if the disk
  /// fails; `held` is still true then.
  func punch(_ runs: [Range<BlockIndex>]) -> Bool {
    guard isWritable, let before = try? data.status() else { return false }
    var isBegun = false
    do {
      try data.punch(runs.map { layout.bytes(of: $0) }) {
        // A clean mark would vouch for blocks that are gone.
        isBegun = (try? clearCleanMark(durably: true)) != nil
        if isBegun { for run in runs { drop(run) } }
        return isBegun
      }
      state.withLockedValue { $0.date = .at(before.modified) }
      return isBegun
    } catch {
      return false
    }
  }
}
