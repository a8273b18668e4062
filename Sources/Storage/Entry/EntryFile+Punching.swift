import Blocks
import NIOConcurrencyHelpers
import SystemPackage

/// Giving back to the disk what is kept.
extension EntryFile {
  /// Somebody has played it to its end, and is not likely to do so again soon: when this is closed, it is
  /// dated so that it is given up before what was not. For any thread.
  package func wasPlayedToItsEnd() {
    state.withLockedValue { $0.date = .longAgo }
  }

  /// Forgets the blocks of `runs`, and gives back what they take up on the disk; when the file was used
  /// last stays as it is. Only while nobody reads or writes through this.
  ///
  /// False where somebody else has the file open, who would see zeros, or where the disk fails; what is
  /// held then is true still.
  func punch(_ runs: [Range<BlockIndex>]) -> Bool {
    guard isWritable, let before = try? data.status() else { return false }
    var isBegun = false
    do {
      try data.punch(runs.map { layout.bytes(of: $0) }) {
        // A clean mark would vouch for what is no longer there.
        isBegun = (try? unseal(durably: true)) != nil
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
