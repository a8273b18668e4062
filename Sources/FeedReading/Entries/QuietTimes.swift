import Markup

/// Times when a publisher wants no requests: `skipHours` and `skipDays` of RSS 2.0, in GMT.
package struct QuietTimes: Hashable, Codable, Sendable {
  /// Hours from 0 to 23.
  package internal(set) var hours: Set<Int> = []
  /// Days of the week; 0 is Sunday.
  package internal(set) var days: Set<Int> = []

  private static let names = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

  package var isEmpty: Bool { hours.isEmpty && days.isEmpty }

  /// Adds an hour. "24" is midnight, because feeds of RSS 0.91 count the hours from 1.
  mutating func add(hour text: String) {
    guard let hour = FeedNumber.whole(text), (0...24).contains(hour) else { return }
    hours.insert(hour % 24)
  }

  mutating func add(day text: String) {
    let name = text.trimmed.lowercased().prefix(3)
    guard let day = Self.names.firstIndex(where: { $0 == name }) else { return }
    days.insert(day)
  }

  /// Returns the first moment from `time` on that is outside these times, in seconds since 1970.
  /// Returns `time` if there is no such moment.
  package func end(after time: Int) -> Int {
    var moment = time
    for _ in 0..<(8 * 24) {
      let hour = Int((Double(moment) / 3600).rounded(.down))
      let day = Int((Double(hour) / 24).rounded(.down))
      // 1970 began on a Thursday.
      let weekday = ((day + 4) % 7 + 7) % 7
      guard hours.contains(hour - day * 24) || days.contains(weekday) else { return moment }
      moment = (hour + 1) * 3600
    }
    return time
  }
}
