import Glibc

/// The Last-Modified of an answer, and the time at which its origin sent it.
///
/// A date less than a minute before its answer's Date is weak: the resource can have changed twice
/// within the same second (RFC 7232 §2.2.2). A later answer with the same Last-Modified confirms
/// the date.
package struct StatedDate: Hashable, Sendable {
  /// The Last-Modified field, as the origin sent it.
  package let text: String
  /// The times of Last-Modified (`modified`) and of the answer's Date (`sent`), in seconds since
  /// 1970.
  private let modified: Int
  private let sent: Int

  /// A Last-Modified is strong if it is at least this time before the Date of the answer.
  static let weakness = Duration.seconds(60)
  /// An answer can confirm a Last-Modified only if the answer's Date is at least this many seconds
  /// later. Some origins give each answer the present time as its Last-Modified. Their Date can be
  /// one second later.
  private static let minAge = 2

  /// - Parameter now: the time of an answer that has no Date (RFC 9110 §6.6.1), in seconds since 1970.
  init?(_ head: ResponseHead, now: Int = time(nil)) {
    guard let text = head.lastModified, let modified = HTTPDate.seconds(text) else { return nil }
    self.text = text
    self.modified = modified
    sent = head.single("date").flatMap(HTTPDate.seconds) ?? now
  }

  /// Whether two versions can have this Last-Modified.
  package var isWeak: Bool {
    sent.subtractingReportingOverflow(modified).partialValue
      < Int(Self.weakness.components.seconds)
  }

  /// Whether the later answer with this date confirms the `earlier` date: the version has not
  /// changed in between.
  package func confirms(_ earlier: StatedDate) -> Bool {
    text == earlier.text && sent > earlier.sent
      && sent.subtractingReportingOverflow(modified).partialValue >= Self.minAge
  }
}
