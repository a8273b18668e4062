import Catalog
package import Control
package import FeedMount
package import FeedReading
package import Host
import Markup
package import Settings

/// Writes the new addresses of feeds that have moved into the user's subscriptions.
package enum MovedSubscriptions {
  /// Writes the present addresses of feeds that have moved into their subscriptions. Returns a
  /// sentence for each subscription that was changed, or about which the user must decide.
  ///
  /// The mount knows all addresses that the feed has had. If a subscription has another address,
  /// the user has changed it, and it stays.
  package static func write(_ moves: [FeedMoves.Move]) throws(CommandError) -> [String] {
    let feeds = try ConfigurationFile.ownSettings.feeds
    // If the file needs no change, it is not even locked.
    guard moves.contains(where: { move in feeds.contains { place(in: $0, move) != nil } }) else {
      return []
    }
    return try ConfigurationFile.own.edit { text throws(SettingsError) in
      try rewrite(&text, moves)
    }
  }

  /// Changes the text of a configuration file as `write` does.
  package static func rewrite(
    _ text: inout SettingsText, _ moves: [FeedMoves.Move]
  ) throws(SettingsError) -> [String] {
    var told: [String] = []
    for move in moves {
      for number in text.settings.feeds.indices {
        let feed = text.settings.feeds[number]
        guard let url = place(in: feed, move) else { continue }
        let (old, new) = (Subscriptions.shown(feed.url), Subscriptions.shown(url))
        if isTaken(url, besides: number, in: text.settings.feeds) {
          told.append(
            "\(old) has moved to \(new), to which you also subscribe; "
              + "`feedfs feed remove` ends one of the two subscriptions")
          continue
        }
        try text.move(feed: number, to: url)
        told.append("\(old) has moved to \(new); your subscription names both addresses now")
      }
    }
    return told
  }

  /// Returns whether the user has another subscription to `url` than the one at the index `number`.
  private static func isTaken(
    _ url: String, besides number: Int, in feeds: [Subscription]
  ) -> Bool {
    guard let key = try? FeedKey(url).value else { return false }
    return feeds.enumerated().contains { other, feed in
      other != number && (try? FeedKey(feed.typed).value) == key
    }
  }

  /// Returns the address to write into the subscription `feed`; nil if the subscription stays as it
  /// is.
  private static func place(in feed: Subscription, _ move: FeedMoves.Move) -> String? {
    guard let typed = try? FeedKey(feed.typed).value, typed == move.feed,
      let present = try? FeedKey(feed.url).value
    else { return nil }
    let known = [typed] + (move.former + [move.to]).compactMap { try? FeedKey($0).value }
    guard known.contains(present), let next = try? FeedKey(move.to).value, next != present else {
      return nil
    }
    // If the feed is back at the address that the user typed, that is written as the user typed it,
    // with its userinfo.
    return next == typed ? feed.typed : move.to
  }
}

extension Subscriptions {
  /// Returns the address without secrets, for display.
  package static func shown(_ url: String) -> String {
    (try? FeedKey(url))?.shown ?? "an address that cannot be used"
  }

  /// Returns the address that the feed had before it moved, without secrets; nil if it has not
  /// moved.
  package static func formerAddress(_ subscription: Subscription) -> String? {
    subscription.was.map { shown($0) }
  }

  /// Returns sentences about the moves of a feed: the last one that the subscription `choice`
  /// contains, and a new one that the document `feed` announces.
  package static func moves(of feed: Feed, _ choice: FeedChoice) -> [String] {
    var lines: [String] = []
    if let moved = choice.moved {
      lines.append(
        "the feed has moved from \(shown(choice.address)) to \(shown(moved)); its file names and its cache stay"
      )
    }
    let next = FeedMove.claim(
      redirect: nil, announced: feed.newURL, at: choice.moved ?? choice.address)
    if let next {
      lines.append(
        "the feed says that it has moved to \(shown(next)); a mount follows when two refreshes in a row say so"
      )
    }
    return lines.map { PrintableText.line($0) }
  }
}
