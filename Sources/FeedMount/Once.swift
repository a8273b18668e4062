import NIOConcurrencyHelpers

/// An answer that several may want to give: the first one counts.
///
/// Safe from any thread.
final class Once<Answer: Sendable>: Sendable {
  private let body: NIOLockedValueBox<(@Sendable (Answer) -> Void)?>

  init(_ body: @escaping @Sendable (Answer) -> Void) {
    self.body = NIOLockedValueBox(body)
  }

  func give(_ answer: Answer) {
    let body = body.withLockedValue { body in
      defer { body = nil }
      return body
    }
    body?(answer)
  }
}
