import Addresses
import Blocks
import Locks
import TestSupport

@testable import FeedMount
@testable import HTTP
@testable import World

/// The network and libcurl, as a mount sees them: each transfer moves on when the simulation takes a
/// step. Heads and bodies go through the real response checks.
///
/// One thread alone runs a simulation.
final class SimulatedWeb: NetworkClient, @unchecked Sendable {
  final class Transfer {
    let id: TransferID
    let exchange: any Exchange
    /// The range that it asks an origin for; nil: it asks for a document.
    let range: RangeRequest?
    /// True for a freshness check.
    let isCheck: Bool
    var rest: (body: [UInt8], bytes: ByteRange)?
    var isCancelled = false
    var isCut = false

    init(_ id: TransferID, _ exchange: any Exchange, _ range: RangeRequest?, isCheck: Bool) {
      self.id = id
      self.exchange = exchange
      self.range = range
      self.isCheck = isCheck
    }
  }

  /// An answer to a request for a document.
  typealias DocumentAnswer = (head: ResponseHead, bytes: [UInt8])
  typealias Server = (DocumentRequest) -> DocumentAnswer?

  var origin = SimulatedOrigin()
  private let answerDocument: Server
  private var transfers: [Transfer] = []
  private var documents: [Int: DocumentRequest] = [:]
  private var lastID = 0
  /// False while the mount lets nothing out: every transfer ends as cancelled.
  private(set) var isOpen = true
  /// The number of requests, and of transfers that ended incomplete.
  private(set) var requests = 0
  private(set) var excuses = 0
  /// The number of requests that were not freshness checks.
  private(set) var fetches = 0
  /// The versions that answers have proved, by serial of the entry, since `takeProved`.
  private var proved: [(serial: Int, representation: Representation)] = []
  /// Serials of entries that received bytes of a wrong slice, until all their bytes were compared.
  var wrong: Set<Int> = []
  private let asked: (_ request: RangeRequest, _ isCheck: Bool) -> Void

  /// - Parameters:
  ///   - documents: returns the answer to a request for a document; nil: there is none.
  ///   - asked: called with each request for a range.
  init(
    documents: @escaping Server,
    asked: @escaping (_ request: RangeRequest, _ isCheck: Bool) -> Void
  ) {
    answerDocument = documents
    self.asked = asked
  }

  var isIdle: Bool { transfers.isEmpty }

  /// Returns how many fetches of the entry are under way.
  func fetches(ofSerial serial: Int) -> Int {
    transfers.count {
      !$0.isCheck && $0.range.flatMap { Address($0.url)?.serial } == serial
    }
  }

  /// Ends all transfers, as `HTTPClient` does when it is shut down or turned off.
  func turn(isOpen: Bool) {
    self.isOpen = isOpen
    guard !isOpen else { return }
    while let transfer = transfers.first { end(transfer, .cancelled) }
  }

  /// Returns and forgets the versions that answers have proved.
  func takeProved() -> [(serial: Int, representation: Representation)] {
    defer { proved = [] }
    return proved
  }

  // MARK: NetworkClient

  func start(_ request: RangeRequest, sink: any RangeSink) -> TransferID {
    let isCheck = sink is FreshnessCheck
    let transfer = Transfer(nextID(), RangeExchange(request, sink), request, isCheck: isCheck)
    transfers.append(transfer)
    // A closed client asks nobody.
    guard isOpen || !isCheck else { return transfer.id }
    requests += 1
    if !isCheck { fetches += 1 }
    asked(request, isCheck)
    return transfer.id
  }

  func cancel(_ id: TransferID) {
    transfers.first { $0.id == id }?.isCancelled = true
  }

  func promote(_ id: TransferID) {}

  func spareConnections(to url: String) -> Int { 0 }

  func get(_ request: DocumentRequest) async throws(HTTPError) -> Document {
    let id = nextID()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (reply: DocumentExchange.Reply) in
        let transfer = Transfer(id, DocumentExchange(request, reply), nil, isCheck: false)
        transfer.isCancelled = Task.isCancelled
        documents[id.number] = request
        transfers.append(transfer)
      }
    } onCancel: {
      cancel(id)
    }
    return try result.get()
  }

  private func nextID() -> TransferID {
    lastID += 1
    return TransferID(number: lastID)
  }

  // MARK: Progress

  /// Moves one random transfer on.
  func step(_ random: inout SeededRandom) {
    guard !transfers.isEmpty else { return }
    step(transfers[random.below(transfers.count)], &random)
  }

  /// Moves one document on; false if none is under way.
  func stepDocument(_ random: inout SeededRandom) -> Bool {
    guard let transfer = transfers.first(where: { $0.range == nil }) else { return false }
    step(transfer, &random)
    return origin.fault != .silence
  }

  private func step(_ transfer: Transfer, _ random: inout SeededRandom) {
    guard isOpen else { return end(transfer, .cancelled) }
    if transfer.isCancelled && random.chance(60) { return end(transfer, .cancelled) }
    let document = documents[transfer.id.number]
    if origin.fault == .silence, document.map({ $0.url.hasPrefix("http://o.") }) ?? true {
      if random.chance(10) { end(transfer, .unanswered(Silence("silence"))) }
      return
    }
    if let document { return bring(document, to: transfer) }
    if let rest = transfer.rest {
      go(on: transfer, with: rest, &random)
    } else {
      begin(transfer, &random)
    }
  }

  /// Brings a document as a whole.
  private func bring(_ request: DocumentRequest, to transfer: Transfer) {
    guard let answer = answerDocument(request), let url = try? WebAddress(parsing: request.url)
    else {
      return end(transfer, .unanswered(Silence("no server")))
    }
    let place = AnswerPlace(url: url, isPermanent: false)
    if let verdict = transfer.exchange.judge(
      answer.head, to: transfer.exchange.question(for: Manner()), at: place)
    {
      return end(transfer, verdict)
    }
    end(
      transfer, transfer.exchange.take(answer.bytes.span.bytes) ?? transfer.exchange.bodyEnded())
  }

  private func begin(_ transfer: Transfer, _ random: inout SeededRandom) {
    let question = transfer.exchange.question(for: Manner())
    guard transfer.range != nil, let request = question.range else { return }
    if origin.fault == .unanswered { return end(transfer, .unanswered(Silence("refused"))) }
    let answer = origin.answer(request, &random)
    guard let url = try? WebAddress(parsing: request.url) else {
      return end(transfer, .blocked(reason: "no address"))
    }
    if let verdict = transfer.exchange.judge(
      answer.head, to: question, at: AnswerPlace(url: url, isPermanent: false))
    {
      return end(transfer, verdict)
    }
    if !transfer.isCheck, let place = Address(request.url), place.segment == nil {
      proved.append((place.serial, origin.representation(of: answer.body)))
    }
    transfer.rest = (answer.body.bytes, answer.bytes)
  }

  private func go(
    on transfer: Transfer, with rest: (body: [UInt8], bytes: ByteRange),
    _ random: inout SeededRandom
  ) {
    let isFaulty = random.chance(30)
    if isFaulty && origin.fault == .breaks { return end(transfer, .broken(reason: "reset")) }
    let isShort = isFaulty && origin.fault == .shortBody
    // No last chunk comes. Where there are no chunks, a reset tells as much.
    if isShort, origin.framing != nil { return end(transfer, .broken(reason: "cut")) }
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
      if let serial = transfer.range.flatMap({ Address($0.url) })?.serial { wrong.insert(serial) }
    }
    transfer.rest = (rest.body, next..<rest.bytes.upperBound)
    // libcurl may bring several pieces before it rests.
    let middle = piece.lowerBound + random.below(piece.count)
    for part in [piece.lowerBound..<middle, middle..<piece.upperBound] where !part.isEmpty {
      if let verdict = transfer.exchange.take(rest.body.span.bytes.extracting(part)) {
        return end(transfer, verdict)
      }
    }
    transfer.exchange.rest()
  }

  private func end(_ transfer: Transfer, _ end: TransferEnd) {
    if isOpen, !transfer.isCancelled, transfer.exchange.asksAgain(after: end) {
      transfer.rest = nil
      return
    }
    if end != .complete, transfer.range != nil { excuses += 1 }
    transfers.removeAll { $0 === transfer }
    documents[transfer.id.number] = nil
    transfer.exchange.ended(end)
  }
}
