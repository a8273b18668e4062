/// The facts that decide whether a newer address is looked for after a refusal.
struct Renewal: Hashable, Sendable {
  /// Whether the page or the feed was asked again after a refusal, so that its addresses are new.
  var wasAskedAnew = false
  /// True if an answer was accepted since the feed was last asked for another address.
  var hasAnswered = false
  /// True if the last refusal said that nothing is at the address.
  var isSurelyGone = false

  /// Notes that the feed is asked for another address. Returns whether the last address has worked,
  /// and is surely gone now.
  ///
  /// - Parameter isPage: true for a web page. A page counts as asked again only when it has given
  ///   an address (`found`).
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
