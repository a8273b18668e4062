/// The question to the feed whether it has a new address.
///
/// The feed is asked once, and again only after an address has answered or readers were told of the
/// failure.
struct Renewal: Sendable {
  private enum Question {
    case none
    /// The feed is being asked, and the origin too, because the address may be good.
    case besideOrigin
    /// Only the feed is being asked.
    case alone
  }

  private var question = Question.none
  /// True if the feed was asked instead of the origin, and nothing has settled that yet.
  private(set) var wasAsked = false

  /// True if the feed is being asked.
  var isAsking: Bool { question != .none }
  /// True if the origin is not to be asked before the feed has answered.
  var isAwaited: Bool { question == .alone }

  /// Asks the feed beside the origin. Returns false if it is being asked already.
  mutating func ask() -> Bool {
    guard !isAsking else { return false }
    question = .besideOrigin
    return true
  }

  /// Asks the feed instead of the origin. Returns false if it is being asked already.
  mutating func askAlone() -> Bool {
    defer { (question, wasAsked) = (.alone, true) }
    return !isAsking
  }

  /// Notes the feed's answer. Returns true if the feed alone was asked.
  mutating func answered() -> Bool {
    defer { question = .none }
    return isAwaited
  }

  /// Notes that the address is good, or that readers were told of the failure.
  mutating func settle() {
    wasAsked = false
  }
}
