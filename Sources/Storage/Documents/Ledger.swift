import NIOConcurrencyHelpers
package import SystemPackage

/// A budget that is kept as a text.
package protocol WrittenBudget: Sendable {
  /// The name of its file.
  static var file: String { get }
  /// The number of its form.
  static var format: Int { get }
  /// Nothing is used yet.
  init()
  /// Reads `text`, and leaves out each line that it cannot read.
  init(text: String)
  var text: String { get }
}

/// A budget that all mounts of this user share, and keep across restarts.
///
/// Safe from any thread; its lock is a leaf, and is not held while the disk is used.
package final class Ledger<Budget: WrittenBudget>: Sendable {
  private let text: SharedText
  /// The budget that the disk did not take; nil if it took the last one.
  private let unsaved = NIOLockedValueBox<Budget?>(nil)

  /// - Parameter folder: the directory of the states of all feeds.
  package init(in folder: FilePath, on disk: Disk) {
    text = SharedText(in: folder, name: Budget.file, format: Budget.format, on: disk)
  }

  /// Takes one more from the budget by `body`, and returns its answer: nil if there was one left,
  /// or else the time from which there will be. Blocks on the disk.
  package func take(_ body: (inout Budget) -> Int?) -> Int? {
    let known = unsaved.withLockedValue { $0 }
    var (budget, wait): (Budget?, Int?)
    do {
      try text.change { text in
        var taken = known ?? Budget(text: text)
        wait = body(&taken)
        budget = taken
        return wait == nil ? taken.text : nil
      }
      if wait == nil { unsaved.withLockedValue { $0 = nil } }
    } catch {
      // This process counts it, even if it is not saved.
      var taken = budget ?? known ?? Budget()
      if budget == nil { wait = body(&taken) }
      unsaved.withLockedValue { [taken] in $0 = taken }
    }
    return wait
  }
}
