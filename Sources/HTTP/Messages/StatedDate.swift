import Glibc

/// The Last-Modified of an answer, and the time at which its origin sent it.
///
/// A date less than a minute before its answer's Date is weak: the resource may have changed twice
/// within the same second (RFC 7232 §2.2.2). A later answer with the same date confirms it.
package struct StatedDate: Hashable, Sendable {
  /// The Last-Modified field, as the origin sent it.
  package let text: String
  /// Last-Modified, and the Date of the answer, in seconds since 1970.
  private let modified: Int
  private let sent: Int

  /// A date is strong if at least this time lies between Last-Modified and Date.
  static let weakness = Duration.seconds(60)
  /// An answer can confirm a date only if its Date is at least this many seconds after it. An
  /// origin that gives each answer the present time as its Last-Modified may state a Date that is
  /// one second later.
  private static let minAge = 2

  /// - Parameter now: the time of an answer that has no Date (RFC 9110 §6.6.1), in seconds since 1970.
  init?(_ head: ResponseHead, now: Int = time(nil)) {
    guard let text = head.lastModified, let modified = HTTPDate.seconds(text) else { return nil }
    self.text = text
    self.modified = modified
    sent = head.single("date").flatMap(HTTPDate.seconds) ?? now
  }

  /// Whether two versions may have this date.
  package var isWeak: Bool {
    sent.subtractingReportingOverflow(modified).partialValue
      < Int(Self.weakness.components.seconds)
  }

  /// Whether this later answer confirms the date of an `earlier` one: the version was not changed
  /// since.
  package func confirms(_ earlier: StatedDate) -> Bool {
    text == earlier.text && sent > earlier.sent
      && sent.subtractingReportingOverflow(modified).partialValue >= Self.minAge
  }
}
