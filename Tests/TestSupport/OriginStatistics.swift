/// The test origin's totals since the last reset.
package struct OriginStatistics: Decodable, Sendable {
  package let requests: Int
  package let bytesSent: Int
  package let connections: Int
  /// Requests under way: now, and the most at one time.
  package let active: Int
  package let maxActive: Int
  package let paths: [String: Totals]

  package struct Totals: Decodable, Sendable {
    package let requests: Int
    package let bytesSent: Int
  }
}
