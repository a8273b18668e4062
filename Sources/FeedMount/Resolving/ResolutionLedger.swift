import NIOConcurrencyHelpers
import Storage
import SystemPackage

/// The budget of resolutions that all mounts of this user share, and keep across restarts.
///
/// Safe from any thread; its lock is a leaf, and is not held while the disk is used.
final class ResolutionLedger: Sendable {
  private let text: SharedText
  /// The budget that the disk did not take; nil if it took the last one.
  private let unsaved = NIOLockedValueBox<ResolutionBudget?>(nil)

  /// - Parameter folder: the directory of the states of all feeds.
  init(in folder: FilePath, on disk: Disk) {
    text = SharedText(
      in: folder, name: "resolutions", format: ResolutionBudget.format, on: disk)
  }

  /// Counts one more resolution, as `ResolutionBudget.take` does; blocks on the disk.
  func take(_ site: String, for asker: PageAsker, at now: Int) -> Int? {
    let known = unsaved.withLockedValue { $0 }
    var (budget, wait): (ResolutionBudget?, Int?)
    do {
      try text.change { text in
        var taken = known ?? ResolutionBudget(text: text)
        wait = taken.take(site, for: asker, at: now)
        budget = taken
        return wait == nil ? taken.text : nil
      }
      if wait == nil { unsaved.withLockedValue { $0 = nil } }
    } catch {
      // This process counts it, even if it is not saved.
      var taken = budget ?? known ?? ResolutionBudget()
      if budget == nil { wait = taken.take(site, for: asker, at: now) }
      unsaved.withLockedValue { [taken] in $0 = taken }
    }
    return wait
  }
}
