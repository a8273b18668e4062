import Addresses
import CCurl
@testable import FeedMount
@testable import HTTP
import Filling
import Locks
import World

/// The network of a fill: it answers requests for ranges as libcurl brings them, without a socket.
///
/// All of feedfs's own code is the real one, from libcurl's callbacks on: heads come in lines, bodies
/// in pieces of 16 KiB, and after as many of them as one read of a socket brings, nothing more.
final class PieceSource: RangeClient {
  /// Bytes of a piece, the most that libcurl gives at once.
  static let piece = 16 << 10
  /// Pieces that one read of a socket brings (`EasyHandle.receiveBuffer`).
  private static let piecesOfARead = 8

  private struct Request: @unchecked Sendable {
    let id: TransferID
    let exchange: RangeExchange
  }

  private struct State {
    var requests: [Request] = []
    var last = 0
  }

  private let length: Int
  /// The memory into which the socket is read; the same for each read, as libcurl's.
  private let buffer = [UInt8](repeating: 0x5a, count: piece * piecesOfARead)
  private let state = Locked(State())

  /// - Parameter length: the length of the file that it has.
  init(length: Int) {
    self.length = length
  }

  func start(_ request: RangeRequest, sink: any RangeSink) -> TransferID {
    state.withLock { state in
      state.last += 1
      let id = TransferID(number: state.last)
      state.requests.append(Request(id: id, exchange: RangeExchange(request, sink)))
      return id
    }
  }

  func cancel(_ id: TransferID) {
    let request = state.withLock { state in
      state.requests.firstIndex { $0.id == id }.map { state.requests.remove(at: $0) }
    }
    request?.exchange.ended(.cancelled)
  }

  func promote(_ id: TransferID) {}

  func spareConnections(to url: String) -> Int { 0 }

  /// Answers the oldest request. Calls `rest` whenever a read of the socket is over. Returns false if
  /// there is no request.
  func serveOne(rest: () -> Void) throws -> Bool {
    guard let request = state.withLock({ $0.requests.first }) else { return false }
    let exchange = request.exchange
    let multi = try MultiHandle(maxConnections: 1)
    let transfer = Transfer(
      request.id, exchange, try WebAddress(parsing: exchange.url), Meter())
    let question = exchange.question(for: Manner())
    guard case .bytes(let range)? = question.range?.range else {
      preconditionFailure("it asks for no range")
    }
    try begin(transfer, question, multi)
    rest()
    let bytes = range.clamped(to: 0..<length)
    for line in head(of: bytes) { kept(Array(line.utf8).withUnsafeBytes(transfer.takeLine)) }
    serve(bytes, to: transfer, rest: rest)
    guard state.withLock({ $0.requests.first?.id == request.id }) else { return true }
    state.withLock { _ = $0.requests.removeFirst() }
    guard case .end(let end) = transfer.endHop(CURLE_OK) else {
      preconditionFailure("it asks again")
    }
    exchange.ended(end)
    rest()
    return true
  }

  private func begin(
    _ transfer: Transfer, _ question: Question, _ multi: MultiHandle
  ) throws {
    let configuration = HTTPConfiguration()
    let gate = SocketGate(
      rule: configuration.addressRule, host: transfer.url.host, proxy: nil, timeout: .seconds(10),
      freeDescriptor: { false })
    let way = Transfer.Way(
      isAnew: false, names: .seconds(60), headStart: .zero, mayUseHTTP3: false, asksFolder: false,
      scheme: .basic, avoided: [])
    _ = try transfer.beginHop(question, configuration, gate, multi, way)
  }

  private func head(of bytes: Range<Int>) -> [String] {
    [
      "HTTP/1.1 206 Partial Content\r\n", "Content-Type: video/mp4\r\n",
      "Content-Length: \(bytes.count)\r\n",
      "Content-Range: bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(length)\r\n",
      "ETag: \"0\"\r\n", "\r\n",
    ]
  }

  /// Gives `transfer` the bytes, until it takes no more.
  private func serve(_ range: Range<Int>, to transfer: Transfer, rest: () -> Void) {
    buffer.withUnsafeBytes { buffer in
      var place = 0
      for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.piece) {
        let end = min(start + Self.piece, range.upperBound)
        let piece = UnsafeRawBufferPointer(rebasing: buffer[place..<place + end - start])
        guard case .taken = transfer.takeBody(piece) else { return }
        place = (place + Self.piece) % buffer.count
        guard place == 0 || end == range.upperBound else { continue }
        if transfer.takeNews() != nil { transfer.exchange.rest() }
        rest()
      }
    }
  }
}
