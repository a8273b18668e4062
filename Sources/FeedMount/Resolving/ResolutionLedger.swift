import NIOConcurrencyHelpers
import Storage
import SystemPackage

/// The budget of resolutions that all mounts of this user share, and keep across restarts.
///
/// Safe from any thread; its lock is a leaf, and is not held while the disk is used.
final class ResolutionLedger: Sendable {
  private let text: SharedText
  /// The budget as this process knows it, for a disk that takes no text.
  private let budget = NIOLockedValueBox(ResolutionBudget())

  /// - Parameter folder: the directory of the states of all feeds.
  init(in folder: FilePath) {
    text = SharedText(in: folder, name: "resolutions")
  }

  /// Counts one more resolution, as `ResolutionBudget.take` does; blocks on the disk.
  func take(_ site: String, for asker: PageAsker, at now: Int) -> Int? {
    var wait: Int?
    do {
      try text.change { text in
        var budget = ResolutionBudget(text: text)
        wait = budget.take(site, for: asker, at: now)
        self.budget.withLockedValue { [budget] in $0 = budget }
        return wait == nil ? budget.text : nil
      }
    } catch {
      // This process counts it, even if it is not saved.
      wait = budget.withLockedValue { $0.take(site, for: asker, at: now) }
    }
    return wait
  }
}
