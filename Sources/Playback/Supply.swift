/// How the bytes of one file come, as the file's mount reports it.
package struct Supply: Hashable, Sendable {
  /// The cached bytes that follow a place in the file without a gap.
  package struct Front: Hashable, Sendable {
    /// The number of cached bytes.
    package let ahead: Int
    /// The offset of the byte after the cached ones, which is missing.
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
  /// True if a read of the file waits for bytes.
  package var isWaiting: Bool
  /// The file's size in bytes, if known.
  package var size: Int?
  /// The cached ranges, in order.
  package var cached: [Range<Int>]
  /// The cached bytes ahead of one reader: the one that will need missing bytes first. Nil if no
  /// reader will need any.
  package var reader: Front?
  /// Bytes per second of playing time; nil if the feed does not say how long the file plays.
  package var rate: Int?
  /// The host from which the bytes come, if known.
  package var host: String?
  /// The reason why no bytes come; nil while bytes come.
  package var reason: String?
  /// True if the `reason` will not pass, so that another try is of no use.
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

  /// Returns the cached bytes ahead of the picture; nil if they reach to the end of the file.
  ///
  /// If `picture` is known, it is used instead of `reader`. The reason: the daemon does not see
  /// reads that the kernel answers by itself. So after a seek back, `reader` may be wrong.
  ///
  /// - Parameter picture: the offset of the picture in the file, in bytes; nil if the player does
  ///   not tell it.
  func front(of picture: Int?) -> Front? {
    guard let size, let picture else { return reader }
    let edge = cached.last { $0.lowerBound <= picture }.map { max($0.upperBound, picture) }
    guard let edge, edge < size else { return edge == nil ? reader : nil }
    return Front(ahead: edge - picture, edge: edge)
  }

  /// The offset of the first missing byte of the file.
  var firstMissing: Int {
    cached.first.flatMap { $0.lowerBound == 0 ? $0.upperBound : nil } ?? 0
  }

  /// The reason why bytes are missing, in words for the player's screen.
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
