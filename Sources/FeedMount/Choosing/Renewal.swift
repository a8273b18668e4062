/// The facts that decide whether a refused address is looked up again.
struct Renewal: Hashable, Sendable {
  /// Whether the page or the feed was asked again after a refusal, so that its addresses are new.
  var wasAskedAnew = false
  /// True if an answer was accepted since the feed was last asked for another address.
  var hasAnswered = false
  /// True if the last refusal said that nothing is at the address.
  var isSurelyGone = false

  /// Notes that the feed is asked for another address. Returns whether the last one has worked, and
  /// is surely gone now.
  ///
  /// - Parameter isPage: true for a page, which was asked again only if it has answered.
  mutating func begin(isPage: Bool) -> Bool {
    defer {
      hasAnswered = false
      if !isPage { wasAskedAnew = true }
    }
    return hasAnswered && isSurelyGone
  }

  /// Notes that the page has given another address.
  mutating func found() {
    wasAskedAnew = true
    hasAnswered = false
  }
}
