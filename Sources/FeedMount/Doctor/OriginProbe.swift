import Addresses
import Blocks
import HTTP
import Host
import Locks
import World

/// Asks an origin for the first byte of a file. Ends the request when the head of the answer has
/// come.
///
/// Safe from any thread.
final class OriginProbe: RangeSink {
  /// The outcome of a probe.
  struct Outcome: Hashable, Sendable {
    /// The facts that the head of the answer proved; nil if it proved none.
    var answer: AcceptedAnswer?
    /// The way in which the request ended, if no answer was accepted. Nil means that nothing came
    /// in time.
    var end: TransferEnd?
    /// The reason why nothing came in time; nil if it is not known.
    var obstacle: String?
    var latency: Duration = .zero
  }

  private let answer = Locked<AcceptedAnswer?>(nil)
  private let start = ContinuousClock.now
  private let done: OneShot<Outcome>

  private init(_ done: OneShot<Outcome>) {
    self.done = done
  }

  static func run(
    _ request: RangeRequest, of origin: OriginName, by client: HTTPClient, within limit: Duration
  ) async -> Outcome {
    let transfer = Locked<TransferID?>(nil)
    let question = Task {
      await withCheckedContinuation { continuation in
        let done = OneShot<Outcome> { continuation.resume(returning: $0) }
        let id = client.start(request, sink: OriginProbe(done))
        transfer.withLock { $0 = id }
      }
    }
    let outcome = await Tasks.real.value(of: question, within: limit)
    // The answer can have the whole body, which is useless here. So the probe cancels the request.
    if let id = transfer.withLock({ $0 }) { client.cancel(id) }
    if let outcome { return outcome }
    let report = client.origins().first { $0.origin == origin.description }
    return Outcome(obstacle: report?.obstacle?.reason, latency: limit)
  }

  func accepted(_ answer: AcceptedAnswer) {
    done.give(Outcome(answer: answer, latency: .now - start))
  }

  func received(_ bytes: RawSpan, at offset: Int) {}

  func ended(_ end: TransferEnd) {
    done.give(Outcome(end: end, latency: .now - start))
  }
}

extension ContinuousClock.Instant {
  fileprivate static var now: Self { ContinuousClock.now }
}
