package import FeedReading
import FoundationEssentials
import Markup
import Quantities

/// The output of `feed show`.
package enum FeedReport {
  /// Returns a JSON object with the keys `feed` and `entries`. No key is left out: a missing value
  /// is null.
  ///
  /// - Parameters:
  ///   - choice: the user's choice of media, with which the feed was read.
  ///   - sifted: the entries that rules leave out.
  ///   - all: whether to list also the entries that rules leave out or that cannot be played.
  package static func json(
    of feed: Feed, choice: MediaChoice = MediaChoice(), sifted: SiftedFeed = SiftedFeed(),
    all: Bool = false
  ) -> String {
    let document = FeedDocument(
      feed: FeedDocument.Head(feed),
      entries: numbered(feed, sifted, all: all).map { entry, number, rule in
        var item = FeedDocument.Item(entry, number: number, choice)
        if let rule { (item.skipped, item.option) = (rule.reason, rule.key) }
        return item
      })
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(document) else {
      preconditionFailure("a report has only text and finite numbers, which can be encoded")
    }
    return PrintableText.json(String(decoding: data, as: UTF8.self))
  }

  /// Returns a table with a row for each entry: name, day, duration and title. The columns for the
  /// size, the height of the picture in lines and the languages of subtitles are there only if any
  /// entry has such a value. The title is followed by the reason why one of several forms is
  /// played, or why the entry is no file. With `all`, lines about omissions and repaired faults
  /// follow the table. The parameters mean the same as in `json`.
  package static func table(
    of feed: Feed, choice: MediaChoice = MediaChoice(), sifted: SiftedFeed = SiftedFeed(),
    all: Bool = false
  ) -> String {
    let listed = numbered(feed, sifted, all: all)
    var rows = [["NAME", "DATE", "DURATION", "SIZE", "LINES", "SUBTITLES", "TITLE"]]
    rows += listed.map { entry, number, rule in
      [
        number.map { name(of: entry, number: $0) } ?? "-",
        entry.day ?? "-",
        entry.duration.map(FeedDuration.clock) ?? "-",
        entry.media?.credibleLength.map(Quantity.bytes) ?? "-",
        entry.media?.toldLines.map(String.init) ?? "-",
        languages(of: entry) ?? "-",
        PrintableText.line(entry.title)
          + (rule.map { " (\($0.reason))" } ?? note(on: entry, choice) ?? ""),
      ]
    }
    let last = rows[0].count - 1
    let shown = (0..<last).filter { column in
      column < 3 || rows.dropFirst().contains { $0[column] != "-" }
    }
    let widths = shown.map { column in rows.map { $0[column].count }.max() ?? 0 }
    let table = rows.map { row in
      let cells = zip(shown, widths).map { column, width in
        row[column] + String(repeating: " ", count: width - row[column].count)
      }
      return (cells + [PrintableText.line(row[last])]).joined(separator: "  ")
    }
    let notes =
      all ? (feed.diagnostics + sifted.complaints).map { "note: \(PrintableText.line($0))" } : []
    return (table + notes).joined(separator: "\n") + "\n"
  }

  private static func languages(of entry: Entry) -> String? {
    let languages = entry.subtitles.map { $0.lang.map(PrintableText.line) ?? "yes" }
    return languages.isEmpty ? nil : languages.joined(separator: ",")
  }

  private static func note(on entry: Entry, _ choice: MediaChoice) -> String? {
    if let reason = entry.skipped {
      return " (\(reason)\(entry.option.map { "; \($0) takes it" } ?? ""))"
    }
    guard let media = entry.media else { return nil }
    let forms = Media.forms(media, entry.alternates, streams: choice.streams)
    let reason = forms.count > 1 ? entry.reason(choice) : nil
    let words = [media.streamKind?.words, reason].compactMap(\.self)
    return words.isEmpty ? nil : " [\(words.joined(separator: ": "))]"
  }

  /// Returns a name such as "0001.mp4".
  static func name(of entry: Entry, number: Int) -> String {
    let digits = String(number)
    let ending = entry.media.map { MediaType.fileExtension(of: $0) } ?? "bin"
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "." + ending
  }

  private typealias Row = (entry: Entry, number: Int?, rule: SiftedFeed.Rule?)

  /// Returns the entries to list, in the order of the feed. Each entry that is a file gets a
  /// number, even if a rule leaves it out.
  private static func numbered(_ feed: Feed, _ sifted: SiftedFeed, all: Bool) -> [Row] {
    var last = 0
    return feed.entries.enumerated().compactMap { place, entry in
      guard entry.skipped == nil else { return all ? (entry, nil, nil) : nil }
      last += 1
      let rule = sifted.rules[place]
      return rule == nil || all ? (entry, last, rule) : nil
    }
  }
}

extension Entry {
  /// Returns the reason why the entry's media is played, and not an alternate; nil if the entry is
  /// no file.
  func reason(_ choice: MediaChoice) -> String? {
    media.flatMap { MediaReason.words(for: $0, among: alternates, choice) }
  }
}
