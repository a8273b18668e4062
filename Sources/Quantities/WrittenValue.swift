/// A value that the user writes as text: in an option, in `config.toml`, or in a command.
package protocol WrittenValue {
  /// The way to write such a value, for example "as bytes (500M, 1.5G)". Messages put it after the
  /// words "write it".
  static var form: String { get }

  /// Parses a text; nil if the text is no such value.
  init?(parsing text: String)
}

/// A number, with or without a unit after it: "1.5G", "10 %", "90".
struct WrittenNumber {
  let digits: Substring
  let value: Double
  /// The unit in lower case; empty if there is none.
  let unit: String

  /// Splits a text into number and unit, with at most one space between them. Returns nil if the
  /// text does not begin with decimal digits. One point among the digits is allowed.
  init?(_ text: some StringProtocol) {
    let text = Substring(text)
    let digits = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
    guard digits.first?.isNumber == true, digits.last?.isNumber == true,
      digits.count(where: { $0 == "." }) <= 1, digits.count <= Self.maxDigits,
      let value = Double(digits)
    else { return nil }
    let rest = text.dropFirst(digits.count)
    let unit = rest.first == " " ? rest.dropFirst() : rest
    guard unit.allSatisfy({ $0.isASCII && $0 != " " }), rest.isEmpty || !unit.isEmpty else {
      return nil
    }
    self.digits = digits
    self.value = value
    self.unit = unit.lowercased()
  }

  /// Returns the number times `factor`, rounded down; nil if the product is too large for an `Int`.
  /// The product of a whole number is exact.
  func times(_ factor: Int) -> Int? {
    guard let whole = Int(digits) else {
      guard value * Double(factor) < 0x1p62 else { return nil }
      return Int(value * Double(factor))
    }
    let (product, overflow) = whole.multipliedReportingOverflow(by: factor)
    return overflow ? nil : product
  }

  private static let maxDigits = 20
}
