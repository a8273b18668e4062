package import Blocks

/// One line of the test origin's log.
package struct LoggedRequest: Decodable, Sendable {
  /// Requests count from 0 since the origin started.
  package let n: Int
  package let method: String
  /// Path and query, as the client sent them.
  package let target: String
  package let path: String
  /// The `Range` header.
  package let range: String?
  /// The first value of each field, by its name in lower case.
  package let headers: [String: String]
  /// The status that the origin chose, even if the head still waits; nil if it sends no head.
  package let status: Int?
  /// Bytes of the body that the origin sent, less those that the client never took.
  package let bytesSent: Int
  /// Connections count from 1 since the origin started.
  package let connection: Int
  /// Start and end of the request (nil: still under way), in milliseconds since the origin started.
  package let ms: Int
  package let endMs: Int?
  /// The kind of the fault that the request met.
  package let fault: String?

  /// The requested bytes; nil unless the range names both first and last.
  package var askedFor: ByteRange? {
    let sides = range?.dropFirst("bytes=".count).split(separator: "-") ?? []
    guard sides.count == 2, let first = Int(sides[0]), let last = Int(sides[1]), first <= last
    else { return nil }
    return first..<(last + 1)
  }
}
