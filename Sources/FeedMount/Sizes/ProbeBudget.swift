import Storage

/// Counts today's requests for sizes at each origin, and limits them.
///
/// ```
/// feedfs sizes 1
/// 20417 37 https://media.example
/// ```
/// A line has the day, counted from 1970 in UTC, the number of requests and the origin. A line that
/// cannot be read is ignored.
struct ProbeBudget: WrittenBudget, Hashable {
  static let file = "sizes"
  /// The largest number of requests to one origin in a day.
  static let maxPerDay = 500
  /// The largest number of origins that are remembered.
  private static let maxOrigins = 1_000
  private static let day = 86_400  // seconds
  static let format = 1
  private static let head = "feedfs sizes \(format)"

  private struct Use: Hashable {
    var day: Int
    var count: Int
  }

  private var uses: [String: Use] = [:]

  init() {}

  /// Counts one more request to `origin`, if the limits allow it.
  ///
  /// - Parameter now: seconds since 1970.
  /// - Returns: nil if it was counted; otherwise the start of the next day, in seconds since 1970.
  mutating func take(_ origin: String, at now: Int) -> Int? {
    let today = now / Self.day
    // Only today's counts matter. A count of a later day was written before the clock was set back.
    uses = uses.filter { $0.value.day == today }
    let count = uses[origin]?.count ?? 0
    guard count < Self.maxPerDay, uses[origin] != nil || uses.count < Self.maxOrigins else {
      return (today + 1) * Self.day
    }
    uses[origin] = Use(day: today, count: count + 1)
    return nil
  }

  // MARK: Text

  init(text: String) {
    let lines = text.split(separator: "\n")
    guard lines.first == Self.head[...] else { return }
    for line in lines.dropFirst().prefix(Self.maxOrigins) {
      let words = line.split(separator: " ")
      guard words.count == 3, let day = Int(words[0]), let count = Int(words[1]), count > 0 else {
        continue
      }
      uses[String(words[2])] = Use(day: day, count: count)
    }
  }

  var text: String {
    let lines = uses.sorted { $0.key < $1.key }.map { "\($1.day) \($1.count) \($0)\n" }
    return Self.head + "\n" + lines.joined()
  }
}
