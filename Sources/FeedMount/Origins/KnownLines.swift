import Addresses
import Filling
import Locks
import Storage
import SystemPackage

/// The latency and rate of the network lines to a feed's origins, as its readers have measured
/// them, and the place of the index in its media files. A file in the feed's state directory keeps
/// both for later mounts.
///
/// ```
/// feedfs lines 1
/// 50 20000000 https://media.example:443
/// 300 800000 https://narrow.example:443
/// narrow https://narrow.example:443
/// tail 151320
/// ```
/// A row has the round trip in milliseconds, the bytes a second of one lane, and the origin. The
/// newest row is the first. Rows that begin with `narrow` follow: one lane alone fills the line to
/// that origin. The last row has the number of bytes from the index to the end of a file, if the
/// feed's files have their index there. A row that cannot be read is ignored. Without it only the
/// first fetch is smaller, or the index comes later.
///
/// Safe from any thread. Takes no other lock while it holds its own.
final class KnownLines: Sendable {
  private struct Row: Equatable {
    let origin: String
    let line: KnownLine
  }

  /// The contents of the file.
  private struct Saved {
    var rows: [Row] = []
    /// Bytes from the index to the end of a file; nil if the files have their index elsewhere.
    var tail: Int?
  }

  private struct State {
    var saved: Saved
    var habit: IndexHabit

    /// True if the learned place of the index differs so much from the saved place that it is worth
    /// a write.
    var hasNewHabit: Bool {
      guard let known = saved.tail, let bytes = habit.bytes else {
        return saved.tail != habit.bytes
      }
      return !KnownLines.areClose(Double(known), Double(bytes))
    }
  }

  private static let narrow = "narrow"
  private static let tail = "tail"
  /// The largest number of remembered origins. If there are more, the oldest are forgotten.
  private static let maxOrigins = 32
  /// A change by a smaller factor than this is not worth a write.
  private static let change = 1.25

  private let file: SavedValue<Saved>
  private let state: Locked<State>

  /// Reads the file in a feed's state directory; blocks on the disk.
  init(in folder: FilePath, on disk: Disk) {
    file = SavedValue(
      in: folder, name: "lines",
      as: .rows("lines", 1, maxBytes: 16 << 10, read: Self.saved, write: Self.text), on: disk)
    var saved = file.read() ?? Saved()
    let habit = saved.tail.map { IndexHabit(bytes: $0) } ?? IndexHabit()
    saved.tail = habit.bytes
    state = Locked(State(saved: saved, habit: habit))
  }

  /// The number of bytes at the end of a file that are requested together with its beginning; nil
  /// if none are.
  var tail: Int? { state.withLock { $0.habit.tail } }

  /// Notes the place of a file's index. It is saved with the next `note` of a line.
  func note(_ place: IndexPlace, of film: UInt64) {
    state.withLock { $0.habit.note(place, of: film) }
  }

  /// Notes that an origin has not answered a request for the end of a file as it should.
  func refusedTail() {
    state.withLock { $0.habit.refused() }
  }

  /// Returns the line to the origin of `url`; nil if it was not measured.
  func line(to url: String) -> KnownLine? {
    let rows = state.withLock { $0.saved.rows }
    guard !rows.isEmpty, let origin = Self.origin(of: url) else { return nil }
    return rows.first { $0.origin == origin }?.line
  }

  /// Notes the line that the readers of `url` have measured; nil if they measured none. Saves the
  /// line and the place of the index, if one of them differs enough from the saved one; blocks on
  /// the disk.
  func note(_ line: KnownLine?, to url: String) {
    let origin = line == nil ? nil : Self.origin(of: url)
    let news: Saved? = state.withLock { state in
      var isNews = state.hasNewHabit
      if let line, let origin, Self.isNews(line, to: origin, besides: state.saved.rows) {
        let others = state.saved.rows.filter { $0.origin != origin }.prefix(Self.maxOrigins - 1)
        state.saved.rows = [Row(origin: origin, line: line)] + others
        isNews = true
      }
      guard isNews else { return nil }
      state.saved.tail = state.habit.bytes
      return state.saved
    }
    // A line that is not saved is measured again by the next mount.
    if let news { file.write(news) }
  }

  private static func isNews(_ new: KnownLine, to origin: String, besides rows: [Row]) -> Bool {
    guard let known = rows.first(where: { $0.origin == origin })?.line else { return true }
    return !areClose(known.latency / .milliseconds(1), new.latency / .milliseconds(1))
      || !areClose(Double(known.rate), Double(new.rate)) || known.isNarrow != new.isNarrow
  }

  fileprivate static func areClose(_ one: Double, _ other: Double) -> Bool {
    max(one, other) <= min(one, other) * change
  }

  private static func origin(of url: String) -> String? {
    (try? WebAddress(parsing: url))?.origin.description
  }

  @Sendable private static func text(of saved: Saved) -> [String] {
    let rows = saved.rows
    let lines = rows.map { row in
      let milliseconds = max(1, Int((row.line.latency / .milliseconds(1)).rounded()))
      return "\(milliseconds) \(row.line.rate) \(row.origin)"
    }
    let narrow = rows.filter(\.line.isNarrow).map { "\(Self.narrow) \($0.origin)" }
    return lines + narrow + (saved.tail.map { ["\(tail) \($0)"] } ?? [])
  }

  @Sendable private static func saved(in all: [[Substring]]) -> Saved {
    let last = all.last.flatMap { $0.count == 2 && $0[0] == tail ? Int($0[1]) : nil }
    return Saved(rows: rows(of: all), tail: last)
  }

  private static func rows(of lines: [[Substring]]) -> [Row] {
    let rows = lines.prefix(2 * maxOrigins)
    let narrow = Set(rows.filter { $0.count == 2 && $0[0] == Self.narrow }.map { $0[1] })
    return rows.prefix(maxOrigins).compactMap { words in
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
