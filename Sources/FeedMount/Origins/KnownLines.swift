import Addresses
import NIOConcurrencyHelpers
import Storage
import Streaming

/// The lines to the origins of a feed, as its readers have measured them, and where its films have their
/// index. They are in the feed's state directory, so a later mount knows them, too.
///
/// ```
/// feedfs lines 1
/// 50 20000000 https://media.example:443
/// 300 800000 https://narrow.example:443
/// narrow https://narrow.example:443
/// tail 151320
/// ```
/// A row has the round trip in milliseconds, the bytes a second of one lane, and the origin. The
/// newest row is the first. After all of them come the origins whose line one lane fills. The last row
/// has the bytes from the index to the end, if the films of the feed have theirs there. An earlier
/// version leaves these rows out. A row that cannot be read is left out: without it only the first
/// fetch is smaller, or the index comes later.
///
/// Safe from any thread. Its lock is a leaf.
final class KnownLines: Sendable {
  private struct Row: Equatable {
    let origin: String
    let line: KnownLine
  }

  private struct State {
    var rows: [Row]
    var habit = IndexHabit()
    /// The row of the habit that the file has.
    var savedTail: Int?

    /// True if the habit is news to the file.
    var hasNewHabit: Bool {
      guard let saved = savedTail, let bytes = habit.bytes else { return savedTail != habit.bytes }
      return !KnownLines.areClose(Double(saved), Double(bytes))
    }
  }

  private static let head = "feedfs lines 1"
  private static let narrow = "narrow"
  private static let tail = "tail"
  /// The most origins that are remembered.
  private static let most = 32
  /// The least change, as a factor, that is worth a write.
  private static let change = 1.25

  private let file: SnapshotFile
  private let state: NIOLockedValueBox<State>

  /// Reads the lines of `file`; blocks on the disk.
  init(_ file: SnapshotFile) {
    self.file = file
    let text = (try? file.read { String(decoding: $0.prefix(16 << 10), as: UTF8.self) }) ?? nil
    var state = State(rows: Self.rows(of: text ?? ""))
    if let bytes = Self.tail(of: text ?? "") { state.habit = IndexHabit(bytes: bytes) }
    state.savedTail = state.habit.bytes
    self.state = NIOLockedValueBox(state)
  }

  /// Bytes of the end that are asked for beside the head of a film; nil if none are.
  var tail: Int? { state.withLockedValue { $0.habit.tail } }

  /// Takes where the index of a film lies. It is saved with the next `note` of a line.
  func note(_ place: IndexPlace, of film: UInt64) {
    state.withLockedValue { $0.habit.note(place, of: film) }
  }

  /// Notes that an origin does not understand requests for the end of a film.
  func refusedTail() {
    state.withLockedValue { $0.habit.refused() }
  }

  /// Returns the line to the origin of `url`; nil if it was not measured.
  func line(to url: String) -> KnownLine? {
    let rows = state.withLockedValue { $0.rows }
    guard !rows.isEmpty, let origin = Self.origin(of: url) else { return nil }
    return rows.first { $0.origin == origin }?.line
  }

  /// Takes what the readers of `url` have measured, and saves what is news; blocks on the disk.
  func note(_ line: KnownLine?, to url: String) {
    let origin = line == nil ? nil : Self.origin(of: url)
    let text: String? = state.withLockedValue { state in
      var isNews = state.hasNewHabit
      if let line, let origin, Self.isNews(line, to: origin, besides: state.rows) {
        let others = state.rows.filter { $0.origin != origin }.prefix(Self.most - 1)
        state.rows = [Row(origin: origin, line: line)] + others
        isNews = true
      }
      guard isNews else { return nil }
      state.savedTail = state.habit.bytes
      return Self.text(of: state)
    }
    // A line that is not saved is measured again by the next mount.
    if let text { try? file.write(Array(text.utf8)) }
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

  private static func text(of state: State) -> String {
    let rows = state.rows
    let lines = rows.map { row in
      let milliseconds = max(1, Int((row.line.latency / .milliseconds(1)).rounded()))
      return "\(milliseconds) \(row.line.rate) \(row.origin)\n"
    }
    let narrow = rows.filter(\.line.isNarrow).map { "\(Self.narrow) \($0.origin)\n" }
    let tail = state.savedTail.map { "\(Self.tail) \($0)\n" } ?? ""
    return head + "\n" + lines.joined() + narrow.joined() + tail
  }

  private static func tail(of text: String) -> Int? {
    let all = text.split(separator: "\n")
    guard all.first == head[...], let words = all.last?.split(separator: " "),
      words.count == 2, words[0] == tail[...]
    else { return nil }
    return Int(words[1])
  }

  private static func rows(of text: String) -> [Row] {
    let lines = text.split(separator: "\n")
    guard lines.first == head[...] else { return [] }
    let rows = lines.dropFirst().prefix(2 * most).map { $0.split(separator: " ") }
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
