import FeedReading

extension CatalogEntry {
  /// The assumed bytes per second of a file of sound, and of a film, if the bit rate is not known.
  /// Few files have less.
  private static let minRates = (sound: 8_000.0, picture: 32_000.0)
  /// The greatest length in bytes that is computed from a duration.
  private static let maxLength = 1e12

  /// The length in bytes that the file probably has, until an origin has proved it; nil if it
  /// cannot be estimated. The estimate is rather too small than too great: the kernel accepts a
  /// proved length that is greater than the estimate, but a smaller one makes an open fail once.
  package var likelyLength: Int? { expectedLength ?? media.roundedLength ?? lengthByDuration }

  /// The duration times the bit rate that the feed claims, or times a low bit rate if it claims
  /// none.
  private var lengthByDuration: Int? {
    guard let duration, duration.isFinite, duration > 0 else { return nil }
    let kind = MediaType.classOf(type: media.type, url: media.url)
    let usual = kind == .audio ? Self.minRates.sound : Self.minRates.picture
    let rate = media.bitrate.flatMap { $0.isFinite && $0 > 0 ? $0 * 125 : nil } ?? usual
    return Int(min(max(duration * rate, 1), Self.maxLength))
  }

  /// Whether an origin should be asked for the size, because neither an origin nor the feed has
  /// told it. False for web pages and streams: no web page is resolved, and no layout is made, only
  /// to learn a size.
  package var isUnsized: Bool {
    known == nil && claimedLength == nil && !media.isPage && !source.isStream
  }
}

extension Catalog {
  /// The `typicalLength` of a feed in which no length is known, in bytes. Nearly all media files
  /// are longer.
  static let minLength = 64 << 10
  /// The greatest number of lengths from which the median is computed, and the number of newest
  /// entries from which these lengths are taken.
  private static let sample = (lengths: 128, entries: 1_000)

  /// The assumed length in bytes of a file of which nothing is known: half of the median length of
  /// the newest files, because most files are longer than half the median.
  package var typicalLength: Int {
    let newest = entries.indices.suffix(Self.sample.entries).reversed().lazy
    let lengths = newest.filter { [entries] in !entries.isRemoved(at: $0) }
      .compactMap { [entries] in entries.listed(at: $0).sizeSaid }.prefix(Self.sample.lengths)
      .sorted()
    return lengths.isEmpty ? Self.minLength : max(lengths[lengths.count / 2] / 2, 1)
  }

  /// The numbers of the listed entries that are `isUnsized`, in the feed's present order.
  package var unsized: [Int] {
    order.filter { isListed($0) && entries.isUnsized(at: $0 - 1) }
  }
}

extension ListedEntry {
  /// The proved length, or the likely one.
  fileprivate var sizeSaid: Int? { provedLength ?? likelyLength }
}
