import Blocks
import Locks

@testable import FeedMount
@testable import HTTP
@testable import World

/// A client whose transfers end as a test scripts them; they are numbered from 0.
final class ScriptedClient: NetworkClient {
  private struct State {
    var transfers: [(request: RangeRequest, sink: any RangeSink)] = []
    var cancelled: [Int] = []
    var documents: [String] = []
    var whenStarting: (@Sendable () -> Void)?
  }

  private let state = Locked(State())

  var urls: [String] { state.withLock { $0.transfers.map(\.request.url) } }
  var requests: [RangeRequest] { state.withLock { $0.transfers.map(\.request) } }
  /// The addresses of the documents that were asked for. None has an answer.
  var documents: [String] { state.withLock { $0.documents } }
  var cancelled: [Int] { state.withLock { $0.cancelled } }

  func whenStarting(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.whenStarting = body }
  }

  func start(_ request: RangeRequest, sink: any RangeSink) -> TransferID {
    let (id, hook) = state.withLock { state in
      state.transfers.append((request, sink))
      return (TransferID(number: state.transfers.count - 1), state.whenStarting)
    }
    hook?()
    return id
  }

  func spareConnections(to url: String) -> Int { 0 }

  func cancel(_ id: TransferID) {
    state.withLock { $0.cancelled.append(id.number) }
  }

  func promote(_ id: TransferID) {}

  func get(_ request: DocumentRequest) async throws(HTTPError) -> Document {
    state.withLock { $0.documents.append(request.url) }
    throw .cancelled
  }

  func answerWithWhole(_ number: Int) {
    state.withLock { $0.transfers[number].sink }.accepted(
      AcceptedAnswer(
        representation: Representation(length: 100, validator: .none), bytes: 0..<100,
        isWhole: true, contentType: nil, freshFor: nil, finalURL: "http://o/1"))
  }

  /// Answers with a part of 100 bytes, named by `tag`.
  func answer(_ number: Int, _ tag: String?, _ bytes: [UInt8], at offset: Int) {
    let (request, sink) = state.withLock { $0.transfers[number] }
    var answer = AcceptedAnswer(
      representation: request.expected ?? Representation(length: 100, validator: .none),
      bytes: offset..<offset + bytes.count, isWhole: false, contentType: nil, freshFor: nil,
      finalURL: request.url)
    answer.tag = tag
    sink.accepted(answer)
    give(number, bytes, at: offset)
  }

  /// Begins an answer with these bytes of a version.
  func accept(_ number: Int, _ version: Representation, _ bytes: ByteRange) {
    let (request, sink) = state.withLock { $0.transfers[number] }
    sink.accepted(
      AcceptedAnswer(
        representation: version, bytes: bytes, isWhole: false, contentType: nil, freshFor: nil,
        finalURL: request.url))
  }

  func give(_ number: Int, _ bytes: [UInt8], at offset: Int) {
    state.withLock { $0.transfers[number].sink }.received(bytes.span.bytes, at: offset)
  }

  func grow(_ number: Int) {
    state.withLock { $0.transfers[number].sink }.grows(
      GrowingBody(validator: .none, start: 0, length: nil, isFramed: true),
      AnswerFacts(contentType: "video/mp4", freshFor: nil, finalURL: "http://o/1"))
  }

  func end(_ number: Int, _ end: TransferEnd) {
    state.withLock { $0.transfers[number].sink }.ended(end)
  }
}
