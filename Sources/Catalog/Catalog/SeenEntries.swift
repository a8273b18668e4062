/// Marks of the entries as the last page had them. With them an unchanged entry costs one
/// comparison.
///
/// A mark is valid only while ids and aliases are as that page left them, so each page sets all
/// marks again. This only saves time, and is no part of a catalog's value.
struct SeenEntries: Hashable, Sendable {
  /// The mark of each number, the one of number 1 first; 0 if there is none.
  private var marks: [Int] = []

  static func == (one: SeenEntries, other: SeenEntries) -> Bool { true }

  func hash(into hasher: inout Hasher) {}

  /// Whether the entry with this number was merged from a page entry with this mark.
  func has(_ mark: Int, of number: Int) -> Bool {
    number <= marks.count && marks[number - 1] == mark && mark != 0
  }

  /// The numbers of all entries with a mark, by mark.
  var numbers: [Int: Int32] {
    var numbers: [Int: Int32] = [:]
    numbers.reserveCapacity(marks.count { $0 != 0 })
    for (place, mark) in marks.enumerated() where mark != 0 { numbers[mark] = Int32(place + 1) }
    return numbers
  }

  /// Forgets all marks, and makes room for `count` numbers.
  mutating func reset(count: Int) {
    marks = Array(repeating: 0, count: count)
  }

  mutating func set(_ mark: Int, of number: Int) {
    marks[number - 1] = mark
  }
}
