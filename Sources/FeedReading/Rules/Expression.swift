import CPattern

/// A regular expression (PCRE2), without regard to case.
///
/// PCRE2 goes back and tries again, so some expressions take a time that doubles with each character. Each
/// item that it tries and every two bytes that it looks at are a step here, and a match ends when its steps
/// are used up. Steps do not depend on the computer, so neither does what a rule leaves out.
///
/// `@unchecked Sendable`: the compiled expression never changes, and any thread may match with it.
final class Expression: @unchecked Sendable {
  enum Outcome {
    case matches, differs
    /// The steps were not enough.
    case unclear
  }

  /// The longest expression in bytes.
  private static let longest = 1000

  private let code: UnsafeMutableRawPointer
  private let bytes: [UInt8]

  /// - Throws: if the expression has a mistake, or PCRE2 cannot be loaded.
  init(_ text: String) throws(RuleError) {
    if let reason = cpattern_load() {
      throw RuleError(
        "needs PCRE2, which cannot be loaded (\(String(cString: reason)));"
          + " install it (on Debian and Ubuntu: `apt install libpcre2-8-0`)")
    }
    guard !text.isEmpty, text.utf8.count <= Self.longest else {
      throw RuleError("is empty, or longer than \(Self.longest) bytes")
    }
    var mistake: CInt = 0
    var place = 0
    bytes = Array(text.utf8)
    guard let code = cpattern_compile(bytes, bytes.count, &mistake, &place) else {
      var message = [UInt8](repeating: 0, count: 256)
      cpattern_message(mistake, &message, message.count)
      let words = String(decoding: message.prefix { $0 != 0 }, as: UTF8.self)
      let before = String(decoding: bytes.prefix(place), as: UTF8.self)
      throw RuleError("is no regular expression: \(words) at character \(before.count + 1)")
    }
    self.code = code
  }

  deinit {
    cpattern_free(code)
  }

  /// Looks for the expression in `text`.
  ///
  /// - Parameter steps: the steps that are left, of which the match takes what it needs.
  func match(_ text: String, steps: inout CInt) -> Outcome {
    var text = text
    let outcome = text.withUTF8 { cpattern_match(code, bytes, $0.baseAddress, $0.count, &steps) }
    return outcome < 0 ? .unclear : outcome > 0 ? .matches : .differs
  }
}
