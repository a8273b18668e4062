package import FeedReading

/// The address at which a feed is read after it has moved, and the moves that it has announced.
///
/// A feed says by permanent redirects (301, 308) or in its document that it has moved. One such
/// answer can be a mistake, so a move is followed only when two refreshes in a row agree. The
/// address that the user typed stays the key of the feed, and its credentials stay the feed's.
///
/// The caller reports each answer to a refresh with `saw`. If `saw` returns `.ask`, the caller
/// requests that address, and reports the outcome with `reached` or `failed`. Addresses can hold
/// secrets, so they must pass through `WebAddress.shown` before anyone sees them.
package struct FeedMove: Hashable, Codable, Sendable {
  /// The facts about a feed's first page that matter for a move.
  package struct Page: Hashable, Sendable {
    /// The address to which the document says that the feed has moved; nil if it does not say so.
    let announced: String?
    /// The reason why the page cannot be the feed; nil if it can.
    let unfit: String?

    /// - Parameter kind: the format that the feed had before; nil if it was never read.
    package init(_ feed: Feed, before kind: Feed.Kind?) {
      announced = feed.newURL
      unfit =
        if feed.kind == .opml {
          "the new address has a list of feeds"
        } else if feed.kind == .index, kind != .index {
          "the new address has no feed"
        } else {
          feed.entries.isEmpty ? "the new address lists no entries" : nil
        }
    }

    init(announced: String?, unfit: String? = nil) {
      self.announced = announced
      self.unfit = unfit
    }
  }

  /// The facts about an answer to a refresh that matter for a move.
  package struct Sight: Hashable, Sendable {
    /// The address that was requested.
    let asked: String
    /// The address to which redirects have led; nil if there were none, or if one of them was not
    /// permanent.
    let redirect: String?
    /// The page; nil if the answer says that it has not changed (304).
    let page: Page?

    package init(asked: String, redirect: String?, page: Page?) {
      self.asked = asked
      self.redirect = redirect
      self.page = page
    }
  }

  /// The next step after an answer.
  package enum Step: Hashable, Sendable {
    case stay
    /// Ask for the feed at this address. `reached` or `failed` must follow.
    case ask(String)
    /// The feed has moved to this address, and the answer came from there.
    case followed(String)
  }

  /// The number of refreshes in a row that must name the same new address.
  package static let agreement = 2
  /// The limit for the number of addresses in `former`.
  private static let maxFormer = 10

  /// The address at which the feed is read; nil if that is the typed address.
  package private(set) var address: String?
  /// The address that the user's subscription names for the feed beside the typed address; nil if
  /// it names none.
  private var named: String?
  /// Addresses at which the feed was read before, the oldest first. The typed address is not among
  /// them.
  package private(set) var former: [String] = []
  /// The address that the last document announced; nil if it announced none. A document that has
  /// not changed since (304) still announces it.
  private var announced: String?
  /// The new address that the feed announces, while it is not followed yet.
  private var claimed: String?
  /// The number of refreshes in a row that named `claimed`.
  private var sights = 0
  /// The reason why `claimed` is not followed, or why `address` could not be used; nil if there is
  /// no such reason.
  private var obstacle: String?

  /// Whether the feed has moved at least once. Then its addresses are written into the
  /// subscription.
  package var hasHappened: Bool { address != nil || !former.isEmpty }

  // MARK: Events

  /// Records the address that the user's subscription names for the feed beside the typed address.
  /// If feedfs did not write this address there, the user did. Then the feed is read at it from now
  /// on.
  package mutating func subscribed(to address: String?) {
    guard address != named else { return }
    named = address
    let ours = [self.address, former.last].compactMap(\.self)
    let isOurs = address.map { new in ours.contains { Self.isSame($0, new) } } ?? false
    if !isOurs { self.address = address }
    forget()
  }

  /// Records an answer to a refresh, and decides the next step.
  ///
  /// - Parameter home: the address at which the feed is read as long as it has not moved.
  package mutating func saw(_ sight: Sight, home: String) -> Step {
    if let page = sight.page { announced = page.announced }
    var said = Self.claim(redirect: sight.redirect, announced: announced, at: sight.asked)
    if let address, Self.isSame(sight.asked, home), !Self.isSame(address, home) {
      // The new address has failed, so the typed address was asked. If its answer still names the
      // new address, nothing changes. Otherwise the feed has moved back.
      if let said, Self.isSame(said, address) { return .stay }
      said = said ?? home
    }
    guard let claim = said else {
      forget()
      return .stay
    }
    if let claimed, Self.isSame(claimed, claim) {
      sights += 1
    } else {
      (claimed, sights) = (claim, 1)
    }
    guard !Self.leadsDown(from: sight.asked, to: claim) else {
      obstacle = "the move would lead from https to http"
      return .stay
    }
    guard sights >= Self.agreement else {
      obstacle = nil
      return .stay
    }
    if claim == sight.redirect || Self.isSame(claim, sight.asked) {
      let page = sight.page ?? Page(announced: announced)
      return reached(claim, page, from: claim, home: home) ? .followed(claim) : .stay
    }
    // After each failure, twice as many refreshes pass until the address is asked again.
    return sights & (sights - 1) == 0 ? .ask(claim) : .stay
  }

  /// Records the answer from the new address `claim`. Returns whether the feed is read at `claim`
  /// from now on.
  ///
  /// - Parameter place: the address that answered, after all redirects.
  package mutating func reached(
    _ claim: String, _ page: Page, from place: String, home: String
  ) -> Bool {
    let present = address ?? home
    obstacle = page.unfit
    let isKnown = Self.isSame(claim, home) || former.contains { Self.isSame($0, claim) }
    if let next = page.announced, !Self.isSame(next, claim), isKnown || Self.isSame(next, present) {
      obstacle = "each of the two addresses names the other"
    }
    if Self.isSame(place, present), !Self.isSame(claim, present), !Self.isSame(claim, place) {
      obstacle = "the new address leads back to the old one"
    }
    guard obstacle == nil else { return false }
    if let address { former = Array(former.suffix(Self.maxFormer - 1)) + [address] }
    address = Self.isSame(claim, home) ? nil : claim
    announced = page.announced
    forget()
    return true
  }

  /// Records that the feed could not be read at the address that was asked.
  package mutating func failed(_ reason: String) {
    obstacle = reason
  }

  // MARK: Words

  /// Returns a sentence about a move that is not followed yet, or about a new address that cannot
  /// be used; nil if there is no such move or address.
  ///
  /// - Parameter shown: returns the address that it gets, without parts that can be secret.
  package func pending(shown: (String) -> String) -> String? {
    guard let claimed else {
      return obstacle.flatMap { reason in
        address.map { "\(shown($0)) cannot be used, so the old address stays in use: \(reason)" }
      }
    }
    let words = "the feed says that it has moved to \(shown(claimed))"
    if let obstacle { return "\(words); feedfs does not follow: \(obstacle)" }
    return "\(words); feedfs follows if the next refresh says the same"
  }

  // MARK: Private

  private mutating func forget() {
    (claimed, sights, obstacle) = (nil, 0, nil)
  }
}

extension FeedMove {
  /// Returns the address to which an answer says that the feed has moved; nil if it does not say
  /// so.
  ///
  /// A redirect takes precedence over an announcement. The document to which the redirect leads can
  /// announce a further move. That move is followed later.
  package static func claim(redirect: String?, announced: String?, at asked: String) -> String? {
    [redirect, announced].compactMap(\.self).first { address in
      // Only users are allowed to name files, so a move to a file is ignored.
      guard let key = try? FeedKey(address).value,
        key.hasPrefix("http://") || key.hasPrefix("https://")
      else { return false }
      return !isSame(address, asked)
    }
  }

  /// Whether two addresses mean the same feed. If `asked` is an https address, its http form counts
  /// as the same, because feeds often name themselves with http.
  private static func isSame(_ address: String, _ asked: String) -> Bool {
    guard let one = try? FeedKey(address).value, let other = try? FeedKey(asked).value else {
      return address == asked
    }
    return one == other || leadsDown(from: other, to: one) && one.dropFirst(4) == other.dropFirst(5)
  }

  private static func leadsDown(from asked: String, to address: String) -> Bool {
    asked.lowercased().hasPrefix("https:") && address.lowercased().hasPrefix("http:")
  }
}
