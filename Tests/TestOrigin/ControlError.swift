/// The reason for refusing a control request.
struct ControlError: Error {
  let message: String

  init(_ message: String) {
    self.message = message
  }
}

extension [String: String] {
  /// The number in a parameter; nil if the parameter is absent.
  func number(_ name: String) throws(ControlError) -> Int? {
    guard let text = self[name] else { return nil }
    guard let number = Int(text), number >= -1 else {
      throw ControlError("\(name) needs a number, not \"\(text)\"")
    }
    return number
  }
}
