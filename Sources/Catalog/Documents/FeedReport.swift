package import FeedReading
import FoundationEssentials

/// The output of `feed show`.
package enum FeedReport {
  /// Returns one JSON object, `feed` and its `entries`, in which every key is present.
  ///
  /// - Parameter all: whether to list entries that are no files too.
  package static func json(of feed: Feed, all: Bool = false) -> String {
    let document = FeedDocument(
      feed: FeedDocument.Head(feed),
      entries: numbered(feed, all: all).map { FeedDocument.Item($0.entry, number: $0.number) })
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(document) else {
      preconditionFailure("text, finite numbers and nothing else were to be encoded")
    }
    return PrintableText.json(String(decoding: data, as: UTF8.self))
  }

  /// Returns one line for each entry, with name, day, duration and title. `all` means the same as
  /// in `json(of:all:)`.
  package static func table(of feed: Feed, all: Bool = false) -> String {
    var rows = [["NAME", "DATE", "DURATION", "TITLE"]]
    rows += numbered(feed, all: all).map { entry, number in
      [
        number.map { name(of: entry, number: $0) } ?? "-",
        entry.published.map(FeedDate.day) ?? "-",
        entry.duration.map(FeedDuration.clock) ?? "-",
        PrintableText.line(entry.title) + (entry.skipped.map { " (\($0))" } ?? ""),
      ]
    }
    let widths = (0..<3).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = zip(row, widths).map { cell, width in
        cell + String(repeating: " ", count: width - cell.count)
      }
      return (cells + [PrintableText.line(row[3])]).joined(separator: "  ")
    }.joined(separator: "\n") + "\n"
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
