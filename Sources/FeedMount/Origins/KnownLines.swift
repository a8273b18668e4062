import Addresses
import NIOConcurrencyHelpers
import Storage
import Streaming
import SystemPackage

/// The lines to the origins of a feed, as its readers have measured them. They are in the feed's
/// state directory, so a later mount knows them, too.
///
/// ```
/// feedfs lines 1
/// 50 20000000 https://media.example:443
/// 300 800000 https://narrow.example:443
/// narrow https://narrow.example:443
/// ```
/// A row has the round trip in milliseconds, the bytes a second of one lane, and the origin. The
/// newest row is the first. After all of them come the origins whose line one lane fills. A row that
/// cannot be read is left out: without it only the first fetch is smaller.
///
/// Safe from any thread. Its lock is a leaf.
final class KnownLines: Sendable {
  private struct Row: Equatable {
    let origin: String
    let line: KnownLine
  }

  private static let narrow = "narrow"
  /// The most origins that are remembered.
  private static let most = 32
  /// The least change, as a factor, that is worth a write.
  private static let change = 1.25

  private let file: SavedValue<[Row]>
  private let rows: NIOLockedValueBox<[Row]>

  /// Reads the lines in the state of a feed; blocks on the disk.
  init(in folder: FilePath, on disk: Disk) {
    file = SavedValue(
      in: folder, name: "lines",
      as: .rows("lines", 1, longest: 16 << 10, read: Self.rows, write: Self.text), on: disk)
    rows = NIOLockedValueBox(file.read() ?? [])
  }

  /// Returns the line to the origin of `url`; nil if it was not measured.
  func line(to url: String) -> KnownLine? {
    let rows = rows.withLockedValue { $0 }
    guard !rows.isEmpty, let origin = Self.origin(of: url) else { return nil }
    return rows.first { $0.origin == origin }?.line
  }

  /// Takes what the readers of `url` have measured, and saves it if it is news; blocks on the disk.
  func note(_ line: KnownLine?, to url: String) {
    guard let line, let origin = Self.origin(of: url) else { return }
    let news: [Row]? = rows.withLockedValue { rows in
      if let known = rows.first(where: { $0.origin == origin })?.line,
        Self.areClose(known.latency / .milliseconds(1), line.latency / .milliseconds(1)),
        Self.areClose(Double(known.rate), Double(line.rate)), known.isNarrow == line.isNarrow
      {
        return nil
      }
      let others = rows.filter { $0.origin != origin }.prefix(Self.most - 1)
      rows = [Row(origin: origin, line: line)] + others
      return rows
    }
    // A line that is not saved is measured again by the next mount.
    if let news { file.write(news) }
  }

  private static func areClose(_ one: Double, _ other: Double) -> Bool {
    max(one, other) <= min(one, other) * change
  }

  private static func origin(of url: String) -> String? {
    (try? WebAddress(parsing: url))?.origin.description
  }

  @Sendable private static func text(of rows: [Row]) -> [String] {
    let lines = rows.map { row in
      let milliseconds = max(1, Int((row.line.latency / .milliseconds(1)).rounded()))
      return "\(milliseconds) \(row.line.rate) \(row.origin)"
    }
    return lines + rows.filter(\.line.isNarrow).map { "\(narrow) \($0.origin)" }
  }

  @Sendable private static func rows(of lines: [[Substring]]) -> [Row] {
    let rows = lines.prefix(2 * most)
    let narrow = Set(rows.filter { $0.count == 2 && $0[0] == Self.narrow }.map { $0[1] })
    return rows.prefix(most).compactMap { words in
      guard words.count == 3, let milliseconds = Int(words[0]), 1...60_000 ~= milliseconds,
        let rate = Int(words[1]), 1...100_000_000_000 ~= rate
      else { return nil }
      return Row(
        origin: String(words[2]),
        line: KnownLine(
          latency: .milliseconds(milliseconds), rate: rate, isNarrow: narrow.contains(words[2])))
    }
  }
}
