/// Whether the feed is asked for a new address of the entry.
///
/// The feed is asked once. It is asked again only after an address has answered as it should, or
/// after the waiting reads have failed.
struct Renewal: Sendable {
  private enum Question {
    case none
    /// The feed is being asked. Requests to the origin go on, because its address might still be
    /// good.
    case besideOrigin
    /// The feed is being asked. Requests to the origin wait for its answer.
    case alone
  }

  private var question = Question.none
  /// True if the feed was asked while requests to the origin waited. Stays true until an address
  /// answers as it should, or until the waiting reads fail.
  private(set) var wasAsked = false

  /// True if the feed is being asked.
  var isAsking: Bool { question != .none }
  /// True if the origin must not be asked before the feed has answered.
  var isAwaited: Bool { question == .alone }

  /// Notes that the feed is asked while requests to the origin go on. Returns false if the feed is
  /// already being asked.
  mutating func ask() -> Bool {
    guard !isAsking else { return false }
    question = .besideOrigin
    return true
  }

  /// Notes that the feed is asked while requests to the origin wait. Returns false if the feed is
  /// already being asked.
  mutating func askAlone() -> Bool {
    defer { (question, wasAsked) = (.alone, true) }
    return !isAsking
  }

  /// Notes the feed's answer. Returns true if requests to the origin waited for it.
  mutating func answered() -> Bool {
    defer { question = .none }
    return isAwaited
  }

  /// Notes that an address has answered as it should, or that the waiting reads have failed.
  mutating func settle() {
    wasAsked = false
  }
}
