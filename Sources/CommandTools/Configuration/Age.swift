import ArgumentParser

/// A length of time: "90s", "12h", "30d", "4w".
package struct Age: ExpressibleByArgument {
  private static let units: [Character: Int] = [
    "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400,
  ]
  package let seconds: Int

  package init?(argument: String) {
    guard let unit = argument.last.flatMap({ Self.units[$0] }),
      let count = Int(argument.dropLast()),
      0..<1 << 40 ~= count
    else { return nil }
    seconds = count * unit
  }
}
