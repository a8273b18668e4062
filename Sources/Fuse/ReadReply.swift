package import SystemPackage

/// The answer owed to a read: given once, from any thread.
package struct ReadReply: Sendable {
  private let request: Request
  private let number: UInt
  private let handle: UInt64

  init(_ request: Request, of handle: UInt64) {
    self.request = request
    self.handle = handle
    number = request.served.newNumber()
  }

  /// The answer will come later, from `cause`; `cancel` is called if the reader is on its way out, at
  /// any time and from any thread. `story` tells what is being done for it, should it be overdue. To
  /// be called before another thread can answer.
  ///
  /// Returns false if too many wait, in all or for the same cause.
  package func willWait(
    for cause: String, story: @escaping @Sendable () -> String,
    cancel: @escaping @Sendable () -> Void
  ) -> Bool {
    request.park(as: number, of: handle, for: cause, story: story, cancel: cancel)
  }

  /// Returns false if the bytes could not be read from where they are; the reader has its answer all
  /// the same.
  package func bytes(_ bytes: RawSpan) -> Bool {
    request.served.parked.answered(number)
    return bytes.withUnsafeBytes { request.bytes($0) }
  }

  package func fail(_ error: Errno) {
    request.served.parked.answered(number)
    request.fail(error)
  }
}
