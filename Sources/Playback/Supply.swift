/// How the bytes of one file come, as its mount says.
package struct Supply: Hashable, Sendable {
  /// The cached bytes from a place of the file on.
  package struct Front: Hashable, Sendable {
    /// The number of these bytes.
    package let ahead: Int
    /// The first byte after them, which is missing.
    package let edge: Int

    package init(ahead: Int, edge: Int) {
      self.ahead = ahead
      self.edge = edge
    }
  }

  package internal(set) var path: String
  /// The network mode, by which the user allows or forbids fetches.
  package let condition: PlayCondition
  /// True if all bytes are in the cache.
  package var isWhole: Bool
  /// True if a read waits.
  package var isWaiting: Bool
  /// The file's size in bytes, if known.
  package var size: Int?
  /// The cached ranges, in order.
  package var cached: [Range<Int>]
  /// The cached bytes ahead of the reader that will be the first to need missing ones; nil if there
  /// is no such reader.
  package var reader: Front?
  /// Bytes per second of playing time; nil if the feed does not say how long the file plays.
  package var rate: Int?
  /// The host from which the bytes come, if known.
  package var host: String?
  /// The reason why no bytes come; nil while they do.
  package var reason: String?
  /// True if asking again is of no use, for that reason.
  package var isHopeless: Bool

  package init(
    path: String, condition: PlayCondition, isWhole: Bool = false, isWaiting: Bool = false,
    size: Int? = nil, cached: [Range<Int>] = [], reader: Front? = nil, rate: Int? = nil,
    host: String? = nil, reason: String? = nil, isHopeless: Bool = false
  ) {
    self.path = path
    self.condition = condition
    self.isWhole = isWhole
    self.isWaiting = isWaiting
    self.size = size
    self.cached = cached
    self.reader = reader
    self.rate = rate
    self.host = host
    self.reason = reason
    self.isHopeless = isHopeless
  }

  /// True if missing bytes do not come now, but may come later.
  var isCut: Bool {
    guard !isWhole else { return false }
    return condition != .online || reason != nil && !isHopeless
  }

  /// Returns the cached bytes ahead of the picture; nil if they reach to the end.
  ///
  /// The place of the picture counts, if it is known. The daemon does not see reads that the kernel
  /// answers by itself, so a reader that has gone back is somewhere else than the daemon believes.
  ///
  /// - Parameter picture: the place of the picture in the file, in bytes; nil if the player does
  ///   not say.
  func front(of picture: Int?) -> Front? {
    guard let size, let picture else { return reader }
    let edge = cached.last { $0.lowerBound <= picture }.map { max($0.upperBound, picture) }
    guard let edge, edge < size else { return edge == nil ? reader : nil }
    return Front(ahead: edge - picture, edge: edge)
  }

  /// The first missing byte of the file.
  var firstMissing: Int {
    cached.first.flatMap { $0.lowerBound == 0 ? $0.upperBound : nil } ?? 0
  }

  /// The reason in words, for the player's screen.
  var words: String {
    switch condition {
    case .paused: return "paused: feedfs fetches nothing until `feedfs resume`"
    case .offline: return "offline: the rest is not cached; `feedfs online` fetches it"
    case .online:
      let what = host.map { "waiting for \($0)" } ?? "waiting"
      return reason.map { "\(what): \($0)" } ?? what
    }
  }
}
