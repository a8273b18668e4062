package import Blocks

/// The receiver of a range request's bytes.
///
/// All calls come from the client's thread. `accepted` or `grows` comes first, at most once. Then
/// `received` and `rested` come any number of times. `ended` comes last, exactly once in every
/// case. A sink must not block. It is allowed to call its client.
package protocol RangeSink: AnyObject, Sendable {
  /// Takes the head of an answer that passed the check. The bytes that it announced follow.
  func accepted(_ answer: AcceptedAnswer)
  /// Takes the head of an answer to a request that `mayGrow`. Called instead of `accepted`. The
  /// bytes that `body` describes follow.
  func grows(_ body: GrowingBody, _ answer: AnswerFacts)
  /// Takes bytes that passed the check. They are valid only during the call. `offset` counts from
  /// the representation's start.
  func received(_ bytes: RawSpan, at offset: Int)
  /// Notes that all bytes that have arrived until now were passed on. This or `ended` follows soon
  /// after the last call of `received`.
  func rested()
  func ended(_ end: TransferEnd)
}

extension RangeSink {
  /// The default does nothing. Only the sinks of requests with `mayGrow` need their own `grows`,
  /// because it is called for no other request.
  package func grows(_ body: GrowingBody, _ answer: AnswerFacts) {}

  package func rested() {}
}

/// Facts about an answer that say nothing about its bytes.
package struct AnswerFacts: Hashable, Sendable {
  package let contentType: String?
  /// The time for which the answer stays fresh; nil if it does not state it.
  package let freshFor: Duration?
  /// The URL of the bytes after redirects, without userinfo. Its query can contain secrets.
  package let finalURL: String
}

/// The facts that the head of an answer proved.
package struct AcceptedAnswer: Hashable, Sendable {
  package let representation: Representation
  /// The range of the bytes that follow.
  package let bytes: ByteRange
  /// True if the origin answered with the whole representation instead of a range. All bytes
  /// follow, from byte 0 on.
  package let isWhole: Bool
  package let contentType: String?
  /// The time for which the answer stays fresh; nil if it does not state it.
  package let freshFor: Duration?
  /// The URL of the bytes after redirects, without userinfo. Its query can contain secrets.
  package let finalURL: String
  /// The strong tag of the answer; nil if it has none. It can differ from the tag in
  /// `representation`.
  package var tag: String?
  /// The Last-Modified of the answer; nil if it has none.
  package var date: StatedDate?
}

extension AcceptedAnswer {
  /// Creates the answer of a body that came as a whole. The end of the body has proved its length.
  package init(_ facts: AnswerFacts, proving representation: Representation) {
    self.init(
      representation: representation, bytes: 0..<representation.length, isWhole: true,
      contentType: facts.contentType, freshFor: facts.freshFor, finalURL: facts.finalURL)
  }
}

extension AcceptedAnswer {
  /// Creates the facts about a representation that was made from several answers.
  package init(_ representation: Representation, contentType: String, at url: String) {
    self.init(
      representation: representation, bytes: 0..<representation.length, isWhole: false,
      contentType: contentType, freshFor: nil, finalURL: url)
  }
}
