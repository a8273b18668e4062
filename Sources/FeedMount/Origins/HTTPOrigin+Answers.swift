import HTTP
import NIOConcurrencyHelpers

/// Takes answers, the first of which proves the version.
extension HTTPOrigin {
  /// Takes an answer of the file at `url`. Returns false if it comes too late: another fetch has
  /// shown that a stream lies there.
  func accepted(_ answer: AcceptedAnswer, at url: String) -> Bool {
    take(answer) { state in !isStream(at: url, in: state) }
  }

  /// Takes an answer if `isRight`, and proves its version if none was. Both are one step: else two
  /// first answers could prove a file and its film at the same time.
  func take(_ answer: AcceptedAnswer, if isRight: (State) -> Bool) -> Bool {
    let date: String?? = state.withLockedValue { state in
      guard isRight(state) else { return nil }
      state.expected = state.expected ?? answer.representation
      state.lengthless = 0
      state.trouble = nil
      state.isHopeless = false
      state.hasAnswered = true
      return .some(state.marks.take(answer))
    }
    guard let date else { return false }
    answered(answer, date)
    return true
  }
}
