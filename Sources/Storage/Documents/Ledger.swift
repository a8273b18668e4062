import Locks
package import SystemPackage

/// A budget that can be saved as text: how often something was done, and how often it is allowed.
package protocol WrittenBudget: Sendable {
  /// The name of the file in which the budget is saved.
  static var file: String { get }
  /// The number of the text's format.
  static var format: Int { get }
  /// Makes an unused budget.
  init()
  /// Reads `text`, and leaves out each line that it cannot read.
  init(text: String)
  var text: String { get }
}

/// A budget that all mounts of this user share, and keep across restarts.
///
/// Safe from any thread. A thread that holds its lock takes no other lock, and does not use the
/// disk.
package final class Ledger<Budget: WrittenBudget>: Sendable {
  private let text: SharedText
  /// The latest budget if the disk did not take it, otherwise nil.
  private let unsaved = Locked<Budget?>(nil)

  /// - Parameter folder: the directory with the saved states of all feeds.
  package init(in folder: FilePath, on disk: Disk) {
    text = SharedText(in: folder, name: Budget.file, format: Budget.format, on: disk)
  }

  /// Changes the budget by `body`, which takes one use from it. `body` returns nil if a use was
  /// left. Otherwise it returns the time of the next use that is allowed, in seconds since 1970.
  /// Returns what `body` returns. Blocks on the disk.
  ///
  /// If the disk fails, the change counts only in this process.
  package func take(_ body: (inout Budget) -> Int?) -> Int? {
    let known = unsaved.withLock { $0 }
    var (budget, wait): (Budget?, Int?)
    do {
      try text.change { text in
        var taken = known ?? Budget(text: text)
        wait = body(&taken)
        budget = taken
        return wait == nil ? taken.text : nil
      }
      if wait == nil { unsaved.withLock { $0 = nil } }
    } catch {
      // This use counts in this process, even if it is not saved.
      var taken = budget ?? known ?? Budget()
      if budget == nil { wait = body(&taken) }
      unsaved.withLock { [taken] in $0 = taken }
    }
    return wait
  }
}
