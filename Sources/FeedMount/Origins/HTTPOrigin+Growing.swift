import Blocks
import HTTP
import NIOConcurrencyHelpers

/// Asks for bodies that do not tell their length.
extension HTTPOrigin {
  /// Takes another candidate, because this one does not tell its length. Returns whether it did. Such
  /// a body is the last choice, because it can only be read from its beginning on.
  func declinesGrowing() -> Bool {
    guard resolver == nil else { return false }
    let refused = failures.refusedAddresses
    return state.withLockedValue { state in
      guard state.isUnproved, !state.takesGrowing, state.sources.count > 1 else { return false }
      state.growing.insert(state.url)
      let before = state.url
      return state.takeNext(besides: refused) && state.url != before
    }
  }

  /// Takes an answer without a length. Returns false if it comes too late, as `accepted` does.
  func grows(_ answer: AnswerFacts, at url: String) -> Bool {
    state.withLockedValue { state in
      guard !isStream(at: url, in: state) else { return false }
      state.growth = answer
      state.trouble = nil
      state.isHopeless = false
      return true
    }
  }

  /// The media type of the last answer without a length; nil if it did not say.
  var grownType: String? {
    state.withLockedValue { $0.growth?.contentType }
  }

  func proved(_ representation: Representation) {
    let facts = state.withLockedValue { state in
      state.expected = representation
      defer { state.growth = nil }
      return state.growth
    }
    if let facts { answered(AcceptedAnswer(facts, proving: representation), nil) }
  }

  func wasTooLong(_ limit: Int) {
    note("it does not tell its length, and more than \(Self.words(limit)) came without an end")
  }

  private static func words(_ bytes: Int) -> String {
    bytes >= 1 << 30 ? "\(bytes >> 30) GiB" : "\(bytes >> 20) MiB"
  }
}
