package import SystemPackage

/// The pending answer to a request for attributes. It must be given exactly once, from any thread.
package struct AttributesReply: Sendable {
  private let source: RequestSource<Attributes>

  init(_ request: Request) {
    source = RequestSource(request)
  }

  /// Creates the reply to a request of this process.
  package init(_ request: DirectRequest<Attributes>) {
    source = .direct(request)
  }

  /// The name of the asking program; empty if the program is gone already.
  package var program: String {
    source.program
  }

  /// The arguments of the asking program. Each access to this property reads a file in /proc.
  package var arguments: [String] {
    source.arguments
  }

  /// True if the asking thread is in the middle of listing a folder.
  package var isListing: Bool {
    source.isListing
  }

  /// Announces that the answer comes later, as `ReadReply.willWait` does.
  package func willWait(
    for cause: String, story: @escaping @Sendable () -> String,
    silence: @escaping @Sendable () -> Duration? = { nil },
    cancel: @escaping @Sendable () -> Void
  ) -> Bool {
    source.willWait(for: cause, story: story, silence: silence, cancel: cancel)
  }

  package func attributes(_ attributes: Attributes) {
    switch source {
    case .kernel(let request, let number, _):
      request.context.parked.answered(number)
      request.attributes(attributes)
    case .direct(let request): request.answer(.success(attributes))
    }
  }

  package func fail(_ error: Errno) {
    source.fail(error)
  }
}
