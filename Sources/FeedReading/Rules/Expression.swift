import CPattern

/// A case-insensitive regular expression (PCRE2).
///
/// PCRE2 backtracks, so the time of some expressions doubles with each character of a text. So a
/// match has a limited number of steps. Each item of the expression that PCRE2 tries is a step, and
/// so are every two bytes of text that PCRE2 looks at (`MatchCost`). The number of steps does not
/// depend on the computer, so a rule leaves out the same entries everywhere.
///
/// `@unchecked Sendable`: the compiled expression never changes, so any thread can match with it.
final class Expression: @unchecked Sendable {
  enum Outcome {
    case matches, differs
    /// The match ran out of steps or of memory before it was decided.
    case unclear
  }

  /// The limit for the length of an expression, in bytes.
  private static let maxBytes = 1000

  /// The limit for the memory of a match, in KiB.
  private static let heap: UInt32 = 1024

  private let code: UnsafeMutableRawPointer
  private let bytes: [UInt8]
  /// The number of capturing groups.
  private let groups: Int

  /// - Throws: if the expression has a mistake, or PCRE2 cannot be loaded.
  init(_ text: String) throws(RuleError) {
    if let reason = cpattern_load() {
      throw RuleError(
        "needs PCRE2, which cannot be loaded (\(String(cString: reason)));"
          + " install it (on Debian and Ubuntu: `apt install libpcre2-8-0`)")
    }
    guard !text.isEmpty, text.utf8.count <= Self.maxBytes else {
      throw RuleError("is empty, or longer than \(Self.maxBytes) bytes")
    }
    var mistake: CInt = 0
    var place = 0
    bytes = Array(text.utf8)
    guard let code = cpattern_compile(bytes, bytes.count, &mistake, &place) else {
      var message = [UInt8](repeating: 0, count: 256)
      cpattern_message(mistake, &message, message.count)
      let words = String(decoding: message.prefix { $0 != 0 }, as: UTF8.self)
      let before = String(decoding: bytes.prefix(place), as: UTF8.self)
      throw RuleError("is not a regular expression: \(words) at character \(before.count + 1)")
    }
    self.code = code
    groups = Int(cpattern_groups(code))
  }

  deinit {
    cpattern_free(code)
  }

  /// Looks for the expression in `text`.
  ///
  /// - Parameter steps: the steps that are left. The match subtracts the steps that it takes.
  func match(_ text: String, steps: inout Int) -> Outcome {
    var text = text
    let outcome = text.withUTF8 { text in
      bytes.withUnsafeBufferPointer { bytes in
        var counter = Counter(
          cost: MatchCost(steps: steps, groups: groups), expression: bytes)
        defer { steps = max(0, counter.cost.left) }
        return withUnsafeMutablePointer(to: &counter) { match(text, counting: $0) }
      }
    }
    return outcome >= 0 ? .matches : outcome == cpattern_none ? .differs : .unclear
  }

  // MARK: Private

  private struct Counter {
    var cost: MatchCost
    let expression: UnsafeBufferPointer<UInt8>
  }

  private func match(
    _ text: UnsafeBufferPointer<UInt8>, counting counter: UnsafeMutablePointer<Counter>
  ) -> CInt {
    guard let match = cpattern_match_new(code) else { return cpattern_no_room }
    defer { cpattern_match_free(match) }
    guard let limits = cpattern_limits_new() else { return cpattern_no_room }
    defer { cpattern_limits_free(limits) }
    cpattern_limit_heap(limits, Self.heap)
    cpattern_set_callout(limits, Self.count, counter)
    return cpattern_match(code, text.baseAddress, text.count, match, limits)
  }

  /// Counts an item before PCRE2 tries it, and ends the match if the steps are used up.
  private static let count: cpattern_callout_function = { callout, context in
    guard let callout, let counter = context?.assumingMemoryBound(to: Counter.self) else {
      return cpattern_enough
    }
    let bytes = counter.pointee.expression.extracting(
      callout.pointee.item_place..<callout.pointee.item_place + callout.pointee.item_count)
    counter.pointee.cost.tries(
      MatchCost.Reach(bytes.span), at: callout.pointee.place,
      of: callout.pointee.count - callout.pointee.place, longest: longestGroup(at: callout))
    return counter.pointee.cost.left < 0 ? cpattern_enough : 0
  }

  /// Returns the length in bytes of the longest text that a group has matched so far.
  private static func longestGroup(at callout: UnsafePointer<cpattern_callout>) -> Int {
    guard let captures = callout.pointee.captures else { return 0 }
    return (0..<Int(callout.pointee.capture_top)).reduce(0) { longest, group in
      let (start, end) = (captures[2 * group], captures[2 * group + 1])
      // A group that has not matched yet has no valid range.
      return start < end && end <= callout.pointee.count ? max(longest, end - start) : longest
    }
  }
}
