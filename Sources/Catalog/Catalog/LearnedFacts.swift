package import FeedReading

/// Facts about an entry from its page or its origin. Facts from the feed take precedence over them.
package struct LearnedFacts: Hashable, Codable, Sendable {
  package var title: String?
  /// Seconds.
  package var duration: Double?
  /// Bytes, as the page claims.
  package var length: Int?
  package var thumbnail: String?
  package var subtitles: [Subtitle] = []
  /// The time when its page or its origin last said that it is live, in seconds since 1970.
  package var liveAt: Int?

  package init(_ media: PageMedia, length: Int? = nil) {
    title = media.title.map { String($0.prefix(Self.maxTitleLength)) }
    duration = media.duration.flatMap { (0...1e9).contains($0) ? $0 : nil }
    self.length = length.flatMap { (0...Media.maxLength).contains($0) ? $0 : nil }
    thumbnail = media.thumbnail.flatMap { Self.isCredible($0) ? $0 : nil }
    subtitles = media.subtitles.filter { Self.isCredible($0.url) }
  }

  /// Strangers write pages, and these facts are in the memory of the mount.
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
  /// The feed's title, or else that of its page.
  package var shownTitle: String { title.isEmpty ? learned?.title ?? "" : title }

  /// The duration in seconds, as the feed says, or else its page.
  package var duration: Double? { media.duration ?? learned?.duration }

  /// The length in bytes that the feed or the page claims, if it is credible. It is only a hint.
  package var expectedLength: Int? { claimedLength ?? learned?.length }

  /// The feed's subtitles, or else those of its page.
  package var shownSubtitles: [Subtitle] {
    subtitles.isEmpty ? learned?.subtitles ?? [] : subtitles
  }

  /// Whether it was found to be live a short time ago. A broadcast that was live before that may
  /// have ended.
  func isBroadcast(at now: Int) -> Bool {
    guard known == nil, let since = learned?.liveAt else { return false }
    return (0..<Self.liveMemory).contains(now - since)
  }

  /// Seconds for which an entry counts as live after it was found to be.
  private static let liveMemory = 3600

  /// The feed's picture, or else that of its page.
  var shownThumbnail: String? { thumbnail ?? learned?.thumbnail }
}

extension Catalog {
  /// Takes the facts from the page of an entry.
  ///
  /// - Parameter number: of an entry of this catalog.
  package mutating func learn(_ facts: LearnedFacts, of number: Int) {
    entries[number - 1].learned = facts
  }

  /// Notes that the entry was found to be live.
  ///
  /// - Parameters:
  ///   - number: of an entry of this catalog.
  ///   - now: seconds since 1970.
  package mutating func foundBroadcast(_ number: Int, at now: Int) {
    var facts = entries[number - 1].learned ?? LearnedFacts(PageMedia())
    facts.liveAt = now
    learn(facts, of: number)
  }
}
