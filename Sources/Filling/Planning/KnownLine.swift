/// The latency and rate of the line to an origin, as readers have measured them.
package struct KnownLine: Hashable, Sendable {
  /// The time from a request to the head of its answer.
  package let latency: Duration
  /// The rate of one lane, in bytes a second.
  package let rate: Int
  /// True if one lane fills the line: more lanes did not help when they were last tried.
  package let isNarrow: Bool

  package init(latency: Duration, rate: Int, isNarrow: Bool = false) {
    self.latency = latency
    self.rate = rate
    self.isNarrow = isNarrow
  }

  /// The number of bytes that one lane brings in a round trip.
  var bytesInRoundTrip: Int {
    Int(min(Double(rate) * (latency / .seconds(1)), 1e9))
  }
}
