import FoundationEssentials

/// What `feed show` prints.
package enum FeedReport {
  /// One object of JSON: `feed` and its `entries`, each key always there.
  ///
  /// - Parameter all: whether entries that are no files are listed too.
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

  /// A line for each entry: its name, day, duration and title; `all` as above.
  package static func table(of feed: Feed, all: Bool = false) -> String {
    var rows = [["NAME", "DATE", "DURATION", "TITLE"]]
    rows += numbered(feed, all: all).map { entry, number in
      [
        number.map { name(of: entry, number: $0) } ?? "-",
        entry.published.map(FeedDate.day) ?? "-",
        entry.duration.map(FeedDuration.clock) ?? "-",
        PlainText.printable(entry.title) + (entry.skipped.map { " (\($0))" } ?? ""),
      ]
    }
    let widths = (0..<3).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = zip(row, widths).map { cell, width in
        cell + String(repeating: " ", count: width - cell.count)
      }
      return (cells + [PlainText.printable(row[3])]).joined(separator: "  ")
    }.joined(separator: "\n") + "\n"
  }

  /// "0001.mp4".
  static func name(of entry: Entry, number: Int) -> String {
    let digits = String(number)
    let ending = entry.media.map { MediaType.fileExtension(of: $0) } ?? "bin"
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "." + ending
  }

  /// Entries that are files are counted in feed order, the others have no number.
  private static func numbered(_ feed: Feed, all: Bool) -> [(entry: Entry, number: Int?)] {
    var last = 0
    return feed.entries.compactMap { entry in
      guard entry.skipped == nil else { return all ? (entry, nil) : nil }
      last += 1
      return (entry, last)
    }
  }
}
