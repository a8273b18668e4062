/// Whether the feed is asked for a new address of the entry.
///
/// The feed is asked once. It is asked again only after an address has answered as it should, or
/// after the waiting reads have failed.
struct Renewal: Sendable {
  private enum Question {
    case none
    /// The feed is being asked. So is the origin, because its address may still be good.
    case besideOrigin
    /// Only the feed is being asked.
    case alone
  }

  private var question = Question.none
  /// True if the feed was asked instead of the origin, and neither has an address answered since,
  /// nor have the waiting reads failed.
  private(set) var wasAsked = false

  /// True if the feed is being asked.
  var isAsking: Bool { question != .none }
  /// True if the origin must not be asked before the feed has answered.
  var isAwaited: Bool { question == .alone }

  /// Notes that the feed is asked beside the origin. Returns false if it is being asked already.
  mutating func ask() -> Bool {
    guard !isAsking else { return false }
    question = .besideOrigin
    return true
  }

  /// Notes that the feed is asked instead of the origin. Returns false if it is being asked
  /// already.
  mutating func askAlone() -> Bool {
    defer { (question, wasAsked) = (.alone, true) }
    return !isAsking
  }

  /// Notes the feed's answer. Returns true if the feed was asked instead of the origin.
  mutating func answered() -> Bool {
    defer { question = .none }
    return isAwaited
  }

  /// Notes that an address has answered as it should, or that the waiting reads have failed.
  mutating func settle() {
    wasAsked = false
  }
}
