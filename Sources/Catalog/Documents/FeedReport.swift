package import FeedReading
import FoundationEssentials

/// The output of `feed show`.
package enum FeedReport {
  /// Returns one JSON object, `feed` and its `entries`, in which every key is present.
  ///
  /// - Parameters:
  ///   - choice: the choice with which the feed was read.
  ///   - all: whether to list entries that are no files too.
  package static func json(
    of feed: Feed, choice: MediaChoice = MediaChoice(), all: Bool = false
  ) -> String {
    let document = FeedDocument(
      feed: FeedDocument.Head(feed),
      entries: numbered(feed, all: all).map {
        FeedDocument.Item($0.entry, number: $0.number, choice)
      })
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(document) else {
      preconditionFailure("text, finite numbers and nothing else were to be encoded")
    }
    return PrintableText.json(String(decoding: data, as: UTF8.self))
  }

  /// Returns one line for each entry, with name, day, duration and title. Behind the title stands why
  /// one of several forms is played, or why the entry is no file. The parameters mean the same as in
  /// `json`. With `all`, lines follow about what was left out or worked around.
  package static func table(
    of feed: Feed, choice: MediaChoice = MediaChoice(), all: Bool = false
  ) -> String {
    var rows = [["NAME", "DATE", "DURATION", "TITLE"]]
    rows += numbered(feed, all: all).map { entry, number in
      [
        number.map { name(of: entry, number: $0) } ?? "-",
        entry.day ?? "-",
        entry.duration.map(FeedDuration.clock) ?? "-",
        PrintableText.line(entry.title) + (note(on: entry, choice) ?? ""),
      ]
    }
    let widths = (0..<3).map { column in rows.map { $0[column].count }.max() ?? 0 }
    let table = rows.map { row in
      let cells = zip(row, widths).map { cell, width in
        cell + String(repeating: " ", count: width - cell.count)
      }
      return (cells + [PrintableText.line(row[3])]).joined(separator: "  ")
    }
    let notes = all ? feed.diagnostics.map { "note: \(PrintableText.line($0))" } : []
    return (table + notes).joined(separator: "\n") + "\n"
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

  /// Numbers the entries that are files, in feed order. The others get no number.
  private static func numbered(_ feed: Feed, all: Bool) -> [(entry: Entry, number: Int?)] {
    var last = 0
    return feed.entries.compactMap { entry in
      guard entry.skipped == nil else { return all ? (entry, nil) : nil }
      last += 1
      return (entry, last)
    }
  }
}

extension Entry {
  /// The reason why its media is played, and not an alternate; nil if it is no file.
  func reason(_ choice: MediaChoice) -> String? {
    media.flatMap { MediaReason.words(for: $0, among: alternates, choice) }
  }
}
