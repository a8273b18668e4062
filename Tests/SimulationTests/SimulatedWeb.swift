import Addresses
import Blocks
import TestSupport

@testable import FeedMount
@testable import HTTP

/// The network and libcurl, as versions see them: each transfer moves on when the simulation takes
/// a step. Heads and bodies go through the real response check.
///
/// One thread alone runs a simulation.
final class SimulatedWeb: RangeClient, @unchecked Sendable {
  private final class Transfer {
    let id: TransferID
    let request: RangeRequest
    let exchange: RangeExchange
    /// True for a freshness check.
    let isCheck: Bool
    var rest: (body: Body, bytes: ByteRange)?
    var isCancelled = false
    var isCut = false

    init(_ id: TransferID, _ request: RangeRequest, _ sink: any RangeSink) {
      self.id = id
      self.request = request
      exchange = RangeExchange(request, sink)
      isCheck = sink is FreshnessCheck
    }
  }

  var origin = SimulatedOrigin()
  private var transfers: [Transfer] = []
  private var lastID = 0
  /// The number of requests, and of transfers that ended incomplete.
  private(set) var requests = 0
  private(set) var excuses = 0
  /// The number of requests that were not freshness checks.
  private(set) var fetches = 0
  /// Serials of entries that received bytes of a wrong slice, until all their bytes were compared.
  var wrong: Set<Int> = []
  private let asked: (_ request: RangeRequest, _ isCheck: Bool) -> Void

  /// - Parameter asked: called with each request.
  init(asked: @escaping (_ request: RangeRequest, _ isCheck: Bool) -> Void) {
    self.asked = asked
  }

  var isIdle: Bool { transfers.isEmpty }

  /// Returns how many fetches of the entry are under way.
  func fetches(ofSerial serial: Int) -> Int {
    transfers.count { !$0.isCheck && Address($0.request.url)?.serial == serial }
  }

  /// Drops all transfers: the process is gone, and its connections with it.
  func forgetAll() {
    transfers = []
  }

  // MARK: RangeClient

  func start(_ request: RangeRequest, sink: any RangeSink) -> TransferID {
    lastID += 1
    requests += 1
    let transfer = Transfer(TransferID(number: lastID), request, sink)
    if !transfer.isCheck { fetches += 1 }
    transfers.append(transfer)
    asked(request, transfer.isCheck)
    return transfer.id
  }

  func cancel(_ id: TransferID) {
    transfers.first { $0.id == id }?.isCancelled = true
  }

  func hasten(_ id: TransferID) {}

  // MARK: Progress

  /// Moves one random transfer on.
  func step(_ random: inout SeededRandom) {
    guard !transfers.isEmpty else { return }
    let transfer = transfers[random.below(transfers.count)]
    if transfer.isCancelled && random.chance(60) { return end(transfer, .cancelled) }
    if origin.fault == .silence {
      if random.chance(10) { end(transfer, .unanswered(reason: "silence")) }
      return
    }
    if let rest = transfer.rest {
      go(on: transfer, with: rest, &random)
    } else {
      begin(transfer, &random)
    }
  }

  private func begin(_ transfer: Transfer, _ random: inout SeededRandom) {
    if origin.fault == .unanswered { return end(transfer, .unanswered(reason: "refused")) }
    let answer = origin.answer(transfer.request, &random)
    guard let url = try? WebAddress(parsing: transfer.request.url) else {
      return end(transfer, .blocked(reason: "no address"))
    }
    if let verdict = transfer.exchange.judge(
      answer.head, at: AnswerPlace(url: url, isPermanent: false))
    {
      return end(transfer, verdict)
    }
    transfer.rest = (answer.body, answer.bytes)
  }

  private func go(
    on transfer: Transfer, with rest: (body: Body, bytes: ByteRange),
    _ random: inout SeededRandom
  ) {
    let isFaulty = random.chance(30)
    if isFaulty && origin.fault == .breaks { return end(transfer, .broken(reason: "reset")) }
    let isShort = isFaulty && origin.fault == .shortBody
    guard !rest.bytes.isEmpty, !isShort else {
      if isFaulty, origin.fault == .longBody,
        let verdict = transfer.exchange.take([UInt8](repeating: 0, count: 3).span.bytes)
      {
        return end(transfer, verdict)
      }
      return end(transfer, transfer.exchange.bodyEnded())
    }
    let piece = rest.bytes.prefix(1 + random.below(random.chance(70) ? 128 << 10 : 16 << 10))
    var next = piece.upperBound
    if isFaulty, origin.fault == .slices, !transfer.isCut, !transfer.isCheck,
      next < rest.bytes.upperBound
    {
      next += 1 + random.below(min(rest.bytes.upperBound - next, 100_000))
      transfer.isCut = true
      if let serial = Address(transfer.request.url)?.serial { wrong.insert(serial) }
    }
    transfer.rest = (rest.body, next..<rest.bytes.upperBound)
    let verdict = transfer.exchange.take(rest.body.bytes.span.bytes.extracting(piece))
    if let verdict { end(transfer, verdict) }
  }

  private func end(_ transfer: Transfer, _ end: TransferEnd) {
    if end != .complete { excuses += 1 }
    transfers.removeAll { $0 === transfer }
    transfer.exchange.ended(end)
  }
}
