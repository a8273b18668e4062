import Blocks

/// Decides whether an answer is of the expected version.
extension ResponseCheck {
  /// Returns the end of a request whose answer is not of the expected version; nil if the answer is
  /// of that version, or if no version is expected.
  ///
  /// If only the tag differs, and neither the length nor a strong date, the end is `doubted`:
  /// several servers behind one address can give the same bytes different tags.
  ///
  /// - Parameter length: the length of the whole that the answer states, in bytes.
  static func difference(
    of head: ResponseHead, length: Int, _ request: RangeRequest
  ) -> TransferEnd? {
    guard let expected = request.expected else { return nil }
    guard length == expected.length else { return .changed }
    switch expected.validator {
    case .entityTag(let tag):
      if !request.ignoresTags, head.strongTag == tag { return nil }
      guard !contradicts(head, request.date) else { return .changed }
      return request.ignoresTags ? nil : .doubted
    case .lastModified(let date): return head.lastModified == date ? nil : .changed
    case .none: return contradicts(head, request.date) ? .changed : nil
    }
  }

  /// Whether the head has a strong date that is not `date`. False if `date` is nil.
  private static func contradicts(_ head: ResponseHead, _ date: String?) -> Bool {
    guard let date, let stated = StatedDate(head), stated.text != date else { return false }
    return !stated.isWeak
  }
}
