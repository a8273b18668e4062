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

  /// The answer will come later; `cancel` is called if the reader is on its way out, at any time and
  /// from any thread. To be called before another thread can answer. Returns false if too many wait.
  package func willWait(cancel: @escaping @Sendable () -> Void) -> Bool {
    let parked = request.served.parked
    guard parked.park(number, by: request.caller, of: handle, cancel: cancel) else { return false }
    request.listenForSignals(as: number)
    return true
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
