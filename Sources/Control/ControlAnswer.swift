package import FeedReading

/// The answer of a mount to a request, as a JSON document.
package struct ControlAnswer: Sendable {
  /// The HTTP status.
  package let status: Int
  package let body: Pieces

  package init(_ message: some Encodable, status: Int = 200) {
    self.status = status
    body = Pieces((try? Wire.encode(message, pretty: true)) ?? [])
  }

  /// Creates the answer with a document, whose pieces can be made while they are sent.
  package init(document: Pieces) {
    status = 200
    body = document
  }

  /// Creates the answer that refuses a request: the mount did nothing, because of `reason`.
  package static func refusal(_ status: Int, _ reason: String) -> ControlAnswer {
    ControlAnswer(Refusal(error: reason), status: status)
  }

  package struct Refusal: Codable, Sendable {
    /// The reason in one sentence.
    package let error: String
  }
}
