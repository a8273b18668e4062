package import Blocks

/// One line of the test origin's log.
package struct LoggedRequest: Decodable, Sendable {
  /// Counts from 0 since the origin started.
  package let n: Int
  package let method: String
  /// Path and query as they were sent.
  package let target: String
  package let path: String
  /// The `Range` header.
  package let range: String?
  /// The first value of each field, by its name in lower case.
  package let headers: [String: String]
  /// What was decided to be sent, even if it still waits; nil if that is no head at all.
  package let status: Int?
  /// Bytes of the body that were sent, less those that the client never took.
  package let bytesSent: Int
  /// Connections count from 1 since the origin started.
  package let connection: Int
  /// When it came and when it had ended (nil: it has not), in milliseconds since the origin started.
  package let ms: Int
  package let endMs: Int?
  /// The kind of the fault that it met.
  package let fault: String?

  /// The bytes that were asked for; nil unless the range says first and last.
  package var askedFor: ByteRange? {
    let sides = range?.dropFirst("bytes=".count).split(separator: "-") ?? []
    guard sides.count == 2, let first = Int(sides[0]), let last = Int(sides[1]), first <= last
    else { return nil }
    return first..<(last + 1)
  }
}
