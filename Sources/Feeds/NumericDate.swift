/// A day written in three numbers, in the order that goes with what stands between them.
struct NumericDate {
  let year: Int
  let month: Int
  let day: Int

  /// "2004-7-8", "2004/7/8" and "2004.7.8"; "8.7.2004" and "8-7-2004"; "7/8/2004". A month above
  /// twelve is the day.
  init?(_ text: Substring) {
    guard let separator = text.first(where: { !$0.isNumber }), "-/.".contains(separator) else {
      return nil
    }
    let parts = text.split(separator: separator, omittingEmptySubsequences: false)
    let numbers = parts.compactMap(FeedDate.digits)
    guard numbers.count == 3, parts.count == 3, parts[1].count <= 2 else { return nil }
    if parts[0].count == 4 {
      (year, month, day) = (numbers[0], numbers[1], numbers[2])
      return
    }
    guard parts[0].count <= 2, parts[2].count == 4 || parts[2].count == 2 else { return nil }
    year = parts[2].count == 4 ? numbers[2] : FeedDate.year(ofTwoDigits: numbers[2])
    let isMonthFirst = separator == "/" ? numbers[0] <= 12 : numbers[1] > 12
    (month, day) = isMonthFirst ? (numbers[0], numbers[1]) : (numbers[1], numbers[0])
  }
}
