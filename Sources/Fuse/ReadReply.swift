package import SystemPackage

/// The pending answer to a read: given once, from any thread.
package struct ReadReply: Sendable {
  private let request: Request
  private let number: UInt
  private let handle: UInt64

  init(_ request: Request, of handle: UInt64) {
    self.request = request
    self.handle = handle
    number = request.context.newNumber()
  }

  /// Announces a later answer, from `cause`; must be called before another thread can answer.
  /// `cancel` is called if the reader is about to end, at any time and from any thread. `story`
  /// describes the work for the read, should the read be overdue.
  ///
  /// Returns false if too many reads wait, in all or for the same cause.
  package func willWait(
    for cause: String, story: @escaping @Sendable () -> String,
    cancel: @escaping @Sendable () -> Void
  ) -> Bool {
    request.park(as: number, of: handle, for: cause, story: story, cancel: cancel)
  }

  /// Answers with `bytes`. Returns false if they could not be read from their memory; the reader
  /// has an answer all the same.
  package func bytes(_ bytes: RawSpan) -> Bool {
    request.context.parked.answered(number)
    return bytes.withUnsafeBytes { request.bytes($0) }
  }

  package func fail(_ error: Errno) {
    request.context.parked.answered(number)
    request.fail(error)
  }
}
