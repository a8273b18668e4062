package import FeedReading

/// Facts about an entry from its web page or its origin. They are used where the feed gives no such
/// facts.
package struct LearnedFacts: Hashable, Codable, Sendable {
  package var title: String?
  /// Seconds.
  package var duration: Double?
  /// Bytes, as the page claims.
  package var length: Int?
  package var thumbnail: String?
  package var subtitles: [Subtitle] = []
  /// The time when the web page or the origin last said that the entry is live, in seconds since
  /// 1970.
  package var liveAt: Int?

  package init(_ media: PageMedia, length: Int? = nil) {
    title = media.title.map { String($0.prefix(Self.maxTitleLength)) }
    duration = media.duration.flatMap { (0...1e9).contains($0) ? $0 : nil }
    self.length = length
    thumbnail = media.thumbnail.flatMap { Self.isCredible($0) ? $0 : nil }
    subtitles = media.subtitles.filter { Self.isCredible($0.url) }
  }

  /// The limit for a title. It is needed because strangers write web pages, and a mount keeps the
  /// titles in memory.
  private static let maxTitleLength = 500  // characters

  private static func isCredible(_ address: String) -> Bool { address.utf8.count <= 8 << 10 }

  init(subtitles: [Subtitle]) {
    self.subtitles = subtitles
  }
}

extension LearnedFacts: Fielded {
  package static let order = FieldKeys.order(of: LearnedFacts.self)

  package static var blank: LearnedFacts { LearnedFacts(subtitles: []) }

  @inline(__always)
  package mutating func visit<Visitor: FieldVisitor>(
    _ visitor: inout Visitor
  ) throws(Visitor.Fault) {
    try visitor.field("title", &title)
    try visitor.field("duration", &duration)
    try visitor.field("length", &length)
    try visitor.field("thumbnail", &thumbnail)
    try visitor.field("subtitles", &subtitles)
    try visitor.field("liveAt", &liveAt)
  }
}

extension CatalogEntry {
  /// The feed's title for the entry, or else the web page's title.
  package var shownTitle: String { title.isEmpty ? learned?.title ?? "" : title }

  /// The duration in seconds that the feed gives, or else the one that the web page gives.
  package var duration: Double? { media.duration ?? learned?.duration }

  /// The length in bytes that the feed or the page claims, if it is credible. It is only a hint.
  package var expectedLength: Int? {
    claimedLength ?? learned?.length.flatMap { (0...Media.maxLength).contains($0) ? $0 : nil }
  }

  /// The feed's subtitles for the entry, or else the web page's subtitles.
  package var shownSubtitles: [Subtitle] {
    subtitles.isEmpty ? learned?.subtitles ?? [] : subtitles
  }

  /// Whether the entry was found to be live within the last hour, and nothing is proved about its
  /// bytes. A broadcast that was live more than an hour ago can have ended.
  ///
  /// - Parameter now: seconds since 1970.
  func isBroadcast(at now: Int) -> Bool {
    guard known == nil, let since = learned?.liveAt else { return false }
    return (0..<Self.liveMemory).contains(now - since)
  }

  /// The number of seconds for which an entry counts as live after it was found to be live.
  private static let liveMemory = 3600

  /// The address of the feed's picture for the entry, or else of the web page's picture.
  var shownThumbnail: String? { thumbnail ?? learned?.thumbnail }
}

extension Catalog {
  /// Stores the facts from the web page of an entry.
  ///
  /// - Parameter number: the number of an entry of this catalog.
  package mutating func learn(_ facts: LearnedFacts, of number: Int) {
    entries[number - 1].learned = facts
  }

  /// Records that the entry was found to be live.
  ///
  /// - Parameters:
  ///   - number: the number of an entry of this catalog.
  ///   - now: seconds since 1970.
  package mutating func foundBroadcast(_ number: Int, at now: Int) {
    var facts = entries[number - 1].learned ?? LearnedFacts(PageMedia())
    facts.liveAt = now
    learn(facts, of: number)
  }
}
