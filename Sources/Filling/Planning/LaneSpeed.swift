/// The latency and the rate of one lane, as the fetches of a file measure them.
struct LaneSpeed: Sendable {
  /// The time from a request to the head of its answer.
  private(set) var latency: Duration
  /// Bytes a second of one lane; nil before that is measured.
  var rate: Double?
  /// The number of bytes that came.
  private var brought = 0

  /// The fewest bytes after which the line counts as known. A look at a head is too short for that.
  private static let minKnown = 4 << 20

  /// - Parameter known: the line as an earlier reader has left it, if that is known.
  init(_ known: KnownLine?) {
    latency = known?.latency ?? .zero
    rate = known.map { Double($0.rate) }
  }

  // MARK: Measuring

  /// Notes that an answer began, `waited` after its request. A single long wait counts little,
  /// because the request may have waited for its place or for a new connection.
  mutating func began(after waited: Duration) {
    let isFirstOrLess = latency == .zero || waited < latency
    latency = isFirstOrLess ? waited : latency + (waited - latency) / 8
  }

  mutating func arrived(_ bytes: Int) {
    brought += bytes
  }

  /// Takes the rate of one fetch. It counts half, and never for more than twice the known rate:
  /// bytes that had piled up come very fast.
  mutating func learn(_ new: Double) {
    rate = rate.map { ($0 + min(new, 2 * $0)) / 2 } ?? new
  }

  // MARK: Facts

  /// The bytes that one lane brings during the wait for the next answer; nil before that is
  /// measured. When so few bytes of a fetch are left, the next fetch should start. So few bytes
  /// come sooner than a new connection is open.
  var overlap: Int? {
    rate.map { Int(min($0 * (latency / .seconds(1)), 1e9)) }
  }

  /// Returns how many times as fast as one lane a film of `rate` bytes a second is; nil before a
  /// lane is measured.
  func slowness(for film: Double) -> Double? {
    rate.map { film / max($0, 1) }
  }

  /// Returns the time in which one lane brings `bytes`; nil before that is measured.
  func time(for bytes: Int) -> Duration? {
    rate.map { .seconds(Double(bytes) / max($0, 1)) }
  }

  /// Returns the line as the next reader may know it; nil if too little came for that.
  ///
  /// - Parameter isNarrow: whether more lanes do not help a line of this rate.
  func known(isNarrow: (Double) -> Bool) -> KnownLine? {
    guard brought >= Self.minKnown, let rate, latency > .zero else { return nil }
    return KnownLine(latency: latency, rate: Int(rate), isNarrow: isNarrow(rate))
  }
}
