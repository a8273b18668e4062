/// The latency and the rate of one lane, measured by the fetches of a file.
struct LaneSpeed: Sendable {
  /// The time from a request to the head of its answer.
  private(set) var latency: Duration
  /// The rate of one lane, in bytes a second; nil before it is measured.
  var rate: Double?
  /// The number of bytes that have come in all fetches.
  private var brought = 0

  /// The number of bytes that must have come before the line counts as known. The head of a file
  /// has too few bytes to measure a line.
  private static let minKnown = 4 << 20

  /// - Parameter known: the line as earlier readers have measured it; nil if they have not.
  init(_ known: KnownLine?) {
    latency = known?.latency ?? .zero
    rate = known.map { Double($0.rate) }
  }

  // MARK: Measuring

  /// Notes that an answer began, `waited` after its request. A single long wait counts little,
  /// because the request may have waited in a queue or for a new connection.
  mutating func began(after waited: Duration) {
    let isFirstOrLess = latency == .zero || waited < latency
    latency = isFirstOrLess ? waited : latency + (waited - latency) / 8
  }

  /// Counts bytes that came.
  mutating func arrived(_ bytes: Int) {
    brought += bytes
  }

  /// Takes `new`, the rate of one fetch, in bytes a second. The known rate becomes the mean of
  /// `new` and itself. `new` counts for at most twice the known rate, because bytes that had piled
  /// up come very fast.
  mutating func learn(_ new: Double) {
    rate = rate.map { ($0 + min(new, 2 * $0)) / 2 } ?? new
  }

  // MARK: Facts

  /// The number of bytes that one lane brings in a round trip; nil before its rate is measured.
  /// When only this many bytes of a fetch are left, the next fetch should start, so that its answer
  /// follows without a gap. This many bytes also come sooner than a new connection opens.
  var overlap: Int? {
    rate.map { Int(min($0 * (latency / .seconds(1)), 1e9)) }
  }

  /// Returns `film`, the rate at which the file plays in bytes a second, divided by the rate of one
  /// lane. Returns nil before the rate of a lane is measured.
  func slowness(for film: Double) -> Double? {
    rate.map { film / max($0, 1) }
  }

  /// Returns the time in which one lane brings `bytes`; nil before its rate is measured.
  func time(for bytes: Int) -> Duration? {
    rate.map { .seconds(Double(bytes) / max($0, 1)) }
  }

  /// Returns the latency and rate for later readers; nil if too few bytes came to measure them.
  ///
  /// - Parameter isNarrow: takes the rate of one lane in bytes a second, and returns whether more
  ///   lanes do not help.
  func known(isNarrow: (Double) -> Bool) -> KnownLine? {
    guard brought >= Self.minKnown, let rate, latency > .zero else { return nil }
    return KnownLine(latency: latency, rate: Int(rate), isNarrow: isNarrow(rate))
  }
}
