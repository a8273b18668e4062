import NIOConcurrencyHelpers

@testable import Streaming

/// What a simulation hears from within.
final class World: Sendable {
  private struct State {
    var complaint: String?
    var wantsAddress = false
    var isSuperseded = false
  }

  private let state = NIOLockedValueBox(State())

  /// The first thing that was not as it should be.
  var complaint: String? { state.withLockedValue { $0.complaint } }
  var wantsAddress: Bool { state.withLockedValue { $0.wantsAddress } }
  var isSuperseded: Bool { state.withLockedValue { $0.isSuperseded } }

  func complain(_ complaint: String) {
    state.withLockedValue { $0.complaint = $0.complaint ?? complaint }
  }

  func hear(_ event: EntryFiller.Event) {
    state.withLockedValue { state in
      switch event {
      case .superseded: state.isSuperseded = true
      case .needsAddress: state.wantsAddress = true
      case .completed, .bufferState, .played, .quiet, .gaveUp, .wasWrong: break
      }
    }
  }

  /// The feed has been asked.
  func answered() {
    state.withLockedValue { $0.wantsAddress = false }
  }
}
