import Glibc

/// A question to the person at the terminal.
package enum Question {
  /// True if stdin and stdout are terminals, so that a person can answer.
  package static var canBeAsked: Bool {
    isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
  }

  /// Asks until the person types a number in `numbers`. An empty line, or the end of the input,
  /// means `default`.
  package static func number(
    _ question: String, from numbers: ClosedRange<Int>, default: Int
  ) -> Int {
    while true {
      say(question, terminator: "")
      fflush(nil)
      guard let line = readLine(), !line.isEmpty else { return `default` }
      if let number = Int(line.filter { $0 != " " }), numbers.contains(number) { return number }
      say("type a number from \(numbers.lowerBound) to \(numbers.upperBound)")
    }
  }
}
