extension Duration {
  /// The time in whole nanoseconds. A time of more than 290 years overflows.
  package var nanoseconds: Int {
    Int(components.seconds) * 1_000_000_000 + Int(components.attoseconds / 1_000_000_000)
  }

  /// Converts `ticks` to a time, rounded down to an attosecond. `scale` is the number of ticks per
  /// second. Nil unless it is positive.
  init?(ticks: Int, scale: Int) {
    guard scale > 0 else { return nil }
    var (seconds, rest) = ticks.quotientAndRemainder(dividingBy: scale)
    if rest < 0 { (seconds, rest) = (seconds - 1, rest + scale) }
    let product = rest.magnitude.multipliedFullWidth(by: 1_000_000_000_000_000_000)
    let attoseconds = scale.magnitude.dividingFullWidth(product).quotient
    self.init(secondsComponent: Int64(seconds), attosecondsComponent: Int64(attoseconds))
  }

  /// Reads a decimal number of seconds, such as "5.005"; nil for any other text, and for more than
  /// `longest`. Digits after the ninth decimal place are ignored.
  init?(decimal text: some StringProtocol, atMost longest: Duration) {
    let parts = text.utf8.split(
      separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.contains(where: { !$0.isEmpty }) else { return nil }
    guard let seconds = Self.number(parts[0].prefix(20)), parts[0].count <= 20 else { return nil }
    var nanoseconds = 0
    if parts.count == 2 {
      guard parts[1].allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      let digits = parts[1].prefix(9)
      nanoseconds = Self.number(digits) ?? 0
      for _ in digits.count..<9 { nanoseconds *= 10 }
    }
    guard seconds <= longest.components.seconds else { return nil }
    self = .seconds(seconds) + .nanoseconds(nanoseconds)
    if self > longest { return nil }
  }

  /// Parses decimal digits. Returns 0 if there are none; nil if a byte is not a digit, or if the
  /// number does not fit into an `Int`.
  private static func number(_ digits: some Collection<UInt8>) -> Int? {
    var number = 0
    for digit in digits {
      guard (0x30...0x39).contains(digit) else { return nil }
      let (product, isOver) = number.multipliedReportingOverflow(by: 10)
      let (sum, isTooLarge) = product.addingReportingOverflow(Int(digit) - 0x30)
      if isOver || isTooLarge { return nil }
      number = sum
    }
    return number
  }
}
