/// A piece of work that is timed again and again.
struct Benchmark {
  let name: String
  private let run: () throws -> Void

  init(_ name: String, _ run: @escaping () throws -> Void) {
    self.name = name
    self.run = run
  }

  /// Returns the time of one run: the median of the batches, and the batch that was quickest.
  func timing() throws -> Timing {
    let size = try batchSize()
    let times = try (0..<Self.batches).map { _ in try time(of: size) / size }.sorted()
    return Timing(median: times[Self.batches / 2], least: times[0], runs: Self.batches * size)
  }

  // MARK: Private

  /// The number of batches; odd, so that there is a median.
  private static let batches = 31
  /// The shortest batch: reading the clock must cost nothing beside it.
  private static let minBatch: Duration = .milliseconds(10)

  /// Returns the number of runs in a batch, and runs at least that many to warm up.
  private func batchSize() throws -> Int {
    var size = 1
    while try time(of: size) < Self.minBatch { size *= 2 }
    return size
  }

  private func time(of count: Int) throws -> Duration {
    try ContinuousClock().measure {
      for _ in 0..<count { try run() }
    }
  }
}

/// The time of one run of a benchmark.
struct Timing: CustomStringConvertible {
  let median: Duration
  let least: Duration
  let runs: Int

  var description: String {
    "\(Self.text(median)) (at least \(Self.text(least)), \(runs) runs)"
  }

  private static func text(_ time: Duration) -> String {
    let nanoseconds = time / .nanoseconds(1)
    let (value, unit) =
      switch nanoseconds {
      case 1e6...: (nanoseconds / 1e6, "ms")
      case 1e3...: (nanoseconds / 1e3, "µs")
      default: (nanoseconds, "ns")
      }
    return "\((value * 100).rounded() / 100) \(unit)"
  }
}
