package import Feeds

/// What a mount says to a request: a document of JSON.
package struct ControlAnswer: Sendable {
  /// Of HTTP.
  package let status: Int
  package let body: Pieces

  package init(_ message: some Encodable, status: Int = 200) {
    self.status = status
    body = Pieces((try? Wire.encode(message, pretty: true)) ?? [])
  }

  /// A document that is made while it is sent, or already.
  package init(document: Pieces) {
    status = 200
    body = document
  }

  /// Nothing was done, for this reason.
  package static func refusal(_ status: Int, _ reason: String) -> ControlAnswer {
    ControlAnswer(Refusal(error: reason), status: status)
  }

  package struct Refusal: Codable, Sendable {
    /// One sentence.
    package let error: String
  }
}
