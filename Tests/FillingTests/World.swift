import Locks

@testable import Filling

/// Complaints and events from inside a simulation.
final class World: Sendable {
  private struct State {
    var complaint: String?
    var wantsAddress = false
    var isStale = false
  }

  private let state = Locked(State())

  /// The first complaint.
  var complaint: String? { state.withLock { $0.complaint } }
  var wantsAddress: Bool { state.withLock { $0.wantsAddress } }
  var isStale: Bool { state.withLock { $0.isStale } }

  func complain(_ complaint: String) {
    state.withLock { $0.complaint = $0.complaint ?? complaint }
  }

  func hear(_ event: EntryFiller.Event) {
    state.withLock { state in
      switch event {
      case .becameStale: state.isStale = true
      case .needsAddress: state.wantsAddress = true
      case .completed, .bufferState, .played, .quiet, .gaveUp, .wasWrong, .grows, .grew,
        .foundIndex, .refusedTail:
        break
      }
    }
  }

  /// Notes that the feed was asked.
  func answered() {
    state.withLock { $0.wantsAddress = false }
  }
}
