import FeedReading

/// The entries of a feed that do not become files, counted by reason.
struct Omissions {
  private struct Reason: Hashable {
    let words: String
    let option: String?
  }

  /// The largest number of reasons that are reported, and of notes of the parser.
  private static let maxReasons = 5

  private var counts: [Reason: Int] = [:]
  private let notes: [String]

  init(of feed: Feed) {
    notes = feed.diagnostics
    for entry in feed.entries {
      guard let skipped = entry.skipped else { continue }
      counts[Reason(words: skipped, option: entry.option), default: 0] += 1
    }
  }

  /// Returns findings for the commonest reasons, and for the first notes of the parser.
  func findings(of feed: String) -> [Finding] {
    let sorted = counts.sorted { ($1.value, $0.key.words) < ($0.value, $1.key.words) }
    let reasons = sorted.prefix(Self.maxReasons).map { reason, count in
      let words = "\(count) left out: \(reason.words)"
      return reason.option.map { Finding.warn(feed, words, mend: "\($0) takes them") }
        ?? Finding.ok(feed, words)
    }
    return reasons + notes.prefix(Self.maxReasons).map { .ok(feed, $0) }
  }
}
