import Blocks

/// Decides whether an answer is of the expected version.
extension ResponseCheck {
  /// Returns the end of a request whose answer has a whole of `length` bytes, and is not of the
  /// expected version; nil if it is, or if none is expected.
  ///
  /// A tag that differs while length and date are the same is doubted: the nodes behind one address
  /// may name the same bytes differently.
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

  /// Whether the head has a strong date, and it is not `date`.
  private static func contradicts(_ head: ResponseHead, _ date: String?) -> Bool {
    guard let date, let stated = StatedDate(head), stated.text != date else { return false }
    return !stated.isWeak
  }
}
