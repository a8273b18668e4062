package import SystemPackage

/// The pending answer to a request for attributes: given once, from any thread.
package struct AttributesReply: Sendable {
  private let request: Request
  private let number: UInt

  init(_ request: Request) {
    self.request = request
    number = request.context.newNumber()
  }

  /// The name of the asking program; empty if the program is gone already.
  package var program: String {
    request.caller.program
  }

  /// As `ReadReply.willWait`.
  package func willWait(
    for cause: String, story: @escaping @Sendable () -> String,
    cancel: @escaping @Sendable () -> Void
  ) -> Bool {
    request.park(as: number, of: 0, for: cause, story: story, cancel: cancel)
  }

  package func attributes(_ attributes: Attributes) {
    request.context.parked.answered(number)
    request.attributes(attributes)
  }

  package func fail(_ error: Errno) {
    request.context.parked.answered(number)
    request.fail(error)
  }
}
