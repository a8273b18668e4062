import Addresses
import Blocks
import Locks

@testable import FeedMount
@testable import HTTP
@testable import World

/// A client whose resources are in memory, and which answers at once.
final class MemorySite: NetworkClient {
  struct Asked: Hashable, Sendable {
    let url: String
    /// Nil for a document.
    let range: ByteRange?
  }

  private struct State {
    var resources: [String: [UInt8]] = [:]
    var statuses: [String: Int] = [:]
    var log: [Asked] = []
    var next = 0
    var tagsEachAnswer = false
    /// The steps of the answers that are held back: head, bytes, end. Nil if none are.
    var held: [[Step]]?
    var isHoldingLater = true
  }

  private typealias Step = @Sendable () -> Void

  private let state = Locked(State())

  var log: [Asked] { state.withLock { $0.log } }

  func put(_ bytes: [UInt8], at url: String) {
    state.withLock { $0.resources[url] = bytes }
  }

  func put(_ text: String, at url: String) { put(Array(text.utf8), at: url) }

  /// Answers with this status from now on; nil: with the resource.
  func answer(_ url: String, with status: Int?) {
    state.withLock { $0.statuses[url] = status }
  }

  /// Names the version of each answer by another tag from now on, as several servers do.
  func tagEachAnswer() { state.withLock { $0.tagsEachAnswer = true } }

  func forgetLog() { state.withLock { $0.log = [] } }

  func holdBack() { state.withLock { ($0.held, $0.isHoldingLater) = ([], true) } }

  func goOn() {
    let held = state.withLock { state in
      defer { state.held = nil }
      return state.held ?? []
    }
    for step in held.joined() { step() }
  }

  /// Makes the next step of the answer `number`, counted from 0 since `holdBack`.
  func goOn(with number: Int) {
    let step = state.withLock { state -> Step? in
      guard state.held?[number].isEmpty == false else { return nil }
      return state.held?[number].removeFirst()
    }
    step?()
  }

  /// Answers at once from now on, but for the first `count` answers since `holdBack`.
  func releaseThose(after count: Int) {
    let later = state.withLock { state in
      state.isHoldingLater = false
      defer { state.held?.removeSubrange(count...) }
      return state.held?.dropFirst(count) ?? []
    }
    for step in later.joined() { step() }
  }

  // MARK: NetworkClient

  func start(_ request: RangeRequest, sink: any RangeSink) -> TransferID {
    guard case .bytes(let range) = request.range else { preconditionFailure("no such request") }
    // A request is in the log only when its answer is held back, so that `goOn` gives all of them.
    let (id, steps) = state.withLock { state in
      state.log.append(Asked(url: request.url, range: range))
      state.next += 1
      let tag = state.tagsEachAnswer ? "-\(state.next)" : ""
      let steps = Self.answer(
        request, range, state.resources[request.url], state.statuses[request.url], tag, to: sink)
      let isHeld = state.held != nil && state.isHoldingLater
      if isHeld { state.held?.append(steps) }
      return (state.next, isHeld ? [] : steps)
    }
    for step in steps { step() }
    return TransferID(number: id)
  }

  private static func answer(
    _ request: RangeRequest, _ range: ByteRange, _ bytes: [UInt8]?, _ status: Int?, _ tag: String,
    to sink: any RangeSink
  ) -> [Step] {
    let status = status ?? (bytes == nil ? 404 : 206)
    guard [206, 416].contains(status), let bytes else {
      return [{ sink.ended(.gone(status: status)) }]
    }
    guard range.lowerBound < bytes.count, status == 206 else {
      return [{ sink.ended(.unsatisfiable(length: bytes.count)) }]
    }
    if let expected = request.expected, expected.length != bytes.count {
      return [{ sink.ended(.changed) }]
    }
    let known = range.clamped(to: 0..<bytes.count)
    let version = Representation(
      length: bytes.count, validator: .entityTag("\"\(bytes.hashValue)\(tag)\""))
    return [
      {
        sink.accepted(
          AcceptedAnswer(
            representation: version, bytes: known, isWhole: false, contentType: nil, freshFor: nil,
            finalURL: "http://o/"))
      },
      {
        let part = Array(bytes[known])
        sink.received(part.span.bytes, at: known.lowerBound)
      },
      { sink.ended(.complete) },
    ]
  }

  func cancel(_ id: TransferID) {}
  func promote(_ id: TransferID) {}
  func spareConnections(to url: String) -> Int { 0 }

  func get(_ request: DocumentRequest) async throws(HTTPError) -> Document {
    let (bytes, status) = state.withLock { state in
      state.log.append(Asked(url: request.url, range: nil))
      return (state.resources[request.url], state.statuses[request.url])
    }
    guard let bytes, status == nil else {
      throw .status(url: request.url, status ?? 404)
    }
    guard let url = try? WebAddress(parsing: request.url) else {
      throw .badURL(reason: request.url)
    }
    var document = Document(
      ResponseHead(status: 200), at: AnswerPlace(url: url, isPermanent: false))
    document.bytes = bytes
    return document
  }
}
