import FeedReading

/// The places of feeds at a mount point: one feed can be at the root, and the others have folders
/// there.
///
/// The layout is remembered for each mount point of subscriptions, so that no path changes when
/// feeds come or go. Feeds that are gone stay in it, and get their places back when they return.
struct MountLayout: Hashable, Codable, Sendable {
  /// The feed at the root; nil if no feed has been there. A feed is named by `id`.
  private(set) var root: String?
  /// The feeds that have a folder, or had one.
  private(set) var folders: [String] = []

  /// The layout of a mount point where nothing was mounted yet.
  init() {}

  /// Returns the name of a feed in a layout. It contains no part of the feed's address, because the
  /// address can be secret.
  static func id(of key: FeedKey) -> String {
    String(key.number, radix: 16)
  }

  /// Adds the feeds of a mount that begins. If the layout has none of them yet, it starts afresh: a
  /// single feed then gets the root.
  mutating func begin(with feeds: [String]) {
    let known = Set(folders + [root].compactMap(\.self))
    if known.isDisjoint(with: feeds) {
      (root, folders) = (feeds.count == 1 ? feeds.first : nil, [])
    }
    for feed in feeds { join(feed) }
  }

  /// Gives a feed a folder, unless it has a place already.
  mutating func join(_ feed: String) {
    if feed != root, !folders.contains(feed) { folders.append(feed) }
  }
}
