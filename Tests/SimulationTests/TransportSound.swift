import Blocks
import Locks

@testable import FeedMount
@testable import HTTP
@testable import World

/// A transport stream of sound alone, which needs no packager.
enum TransportSound {
  /// The stream of the sound, and that of its table.
  private static let (sound, table): (UInt16, UInt16) = (0x101, 0x100)

  /// Segments in a row, of which several tests make films.
  static let segments = (0..<4).map { segment($0) }

  /// Makes a segment of 12.8 s, with a packet of sound for each three frames.
  static func segment(_ number: Int, salt: Int = 0) -> [UInt8] {
    // Two rows: the first program, and AAC as its only stream.
    var bytes = packets(of: section(0, [0, 1, UInt8(0xE0 | table >> 8), UInt8(table & 0xFF)]), 0)
    bytes += packets(
      of: section(
        2, [0xE1, 0x01, 0xF0, 0, 0x0F, UInt8(0xE0 | sound >> 8), UInt8(sound & 0xFF), 0xF0, 0]),
      table)
    var counter = 0
    let frames = 600
    for first in stride(from: 0, to: frames, by: 3) {
      let time = (number * frames + first) * 1024 * 90_000 / 48_000
      let content = (first..<first + 3).flatMap { frame(number + salt, $0) }
      bytes += packets(of: unit(content, at: time), sound, &counter)
    }
    return bytes
  }

  private static func frame(_ number: Int, _ place: Int) -> [UInt8] {
    let length = 1000
    return [
      0xFF, 0xF1, 0x4C, 0x80 | UInt8(length >> 11), UInt8(length >> 3 & 0xFF),
      UInt8(length & 7) << 5 | 0x1F, 0xFC,
    ] + (7..<length).map { UInt8(truncatingIfNeeded: number * 31 + place * 7 + $0) & 0x7F }
  }

  /// A table behind its pointer; nothing looks at its checksum.
  private static func section(_ id: UInt8, _ rows: [UInt8]) -> [UInt8] {
    [0, id, 0xB0, UInt8(5 + rows.count + 4), 0, 1, 0xC1, 0, 0] + rows + [0, 0, 0, 0]
  }

  /// A PES packet with a time of showing.
  private static func unit(_ content: [UInt8], at time: Int) -> [UInt8] {
    let stamp = [
      0x21 | UInt8(time >> 29 & 0x0E), UInt8(time >> 22 & 0xFF), UInt8(time >> 14 & 0xFE) | 1,
      UInt8(time >> 7 & 0xFF), UInt8(time << 1 & 0xFE) | 1,
    ]
    let length = content.count + 8
    return [0, 0, 1, 0xC0, UInt8(length >> 8), UInt8(length & 0xFF), 0x80, 0x80, 5] + stamp
      + content
  }

  private static func packets(of content: [UInt8], _ stream: UInt16) -> [UInt8] {
    var counter = 0
    return packets(of: content, stream, &counter)
  }

  /// Cuts bytes into packets; the last one is filled.
  private static func packets(
    of content: [UInt8], _ stream: UInt16, _ counter: inout Int
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = content[...]
    while !rest.isEmpty {
      let part = rest.prefix(184)
      let isFirst = rest.startIndex == 0
      bytes += [0x47, (isFirst ? 0x40 : 0) | UInt8(stream >> 8), UInt8(stream & 0xFF)]
      let missing = 184 - part.count
      bytes.append((missing > 0 ? 0x30 : 0x10) | UInt8(counter & 15))
      if missing > 0 { bytes.append(UInt8(missing - 1)) }
      if missing > 1 { bytes += [0] + [UInt8](repeating: 0xFF, count: missing - 2) }
      bytes += part
      counter += 1
      rest = rest.dropFirst(part.count)
    }
    return bytes
  }
}

/// A client whose answers about segments come in the portions that a test gives.
final class PortionedSite: NetworkClient {
  struct Transfer: Sendable {
    let url: String
    let range: ByteRange
    /// The resource as it was when the request began.
    let bytes: [UInt8]
    let sink: any RangeSink
    var place: Int
    /// The place behind the last byte that is sent.
    let end: Int
    var isCancelled = false
    var isCut = false
    var isPromoted = false

    var isUnderWay: Bool { !isCancelled && !isCut && place < end }
  }

  private struct State {
    var transfers: [Transfer] = []
    var isPortioned = false
    /// The letters behind the usual tag of a version.
    var tag = ""
    var hasTags = true
    var sendsWholes = false
  }

  let site = MemorySite()
  private let state = Locked(State())
  private let contents = Locked<[String: [UInt8]]>([:])
  /// The place from which on packets are damaged on their way.
  private let scrambled = Locked<[String: Int]>([:])

  /// The requests for segments since answers come in portions.
  var transfers: [Transfer] { state.withLock { $0.transfers } }

  func put(_ bytes: [UInt8], at url: String) {
    site.put(bytes, at: url)
    contents.withLock { $0[url] = bytes }
  }

  /// Sends packets from this place on as if they were scrambled; nil: as they are.
  func scramble(_ url: String, from place: Int?) {
    scrambled.withLock { $0[url] = place }
  }

  /// Refuses what is asked of an address from now on.
  func expire(_ url: String) {
    contents.withLock { $0[url] = nil }
    site.answer(url, with: 403)
  }

  /// Names all versions by another tag from now on.
  func changeTags() { state.withLock { $0.tag += "a" } }

  /// Names no version from now on.
  func dropTags() { state.withLock { $0.hasTags = false } }

  /// Sends whole resources from now on, whatever range is asked for.
  func sendWholes() { state.withLock { $0.sendsWholes = true } }

  /// Answers in portions from now on, or at once.
  func portion(_ isSo: Bool = true) { state.withLock { $0.isPortioned = isSo } }

  /// Gives the next bytes of a transfer.
  func give(_ number: Int, _ count: Int) {
    let transfer = state.withLock { state in
      defer { state.transfers[number].place += count }
      return state.transfers[number]
    }
    guard transfer.isUnderWay else { return }
    let end = min(transfer.end, transfer.place + count)
    var part = Array(transfer.bytes[transfer.place..<end])
    if let first = scrambled.withLock({ $0[transfer.url] }) {
      for place in part.indices where (transfer.place + place) % 188 == 3 {
        if transfer.place + place >= first { part[place] |= 0xC0 }
      }
    }
    transfer.sink.received(part.span.bytes, at: transfer.place)
    if end == transfer.end { transfer.sink.ended(.complete) }
  }

  /// Breaks a transfer off.
  func cut(_ number: Int) {
    state.withLock { $0.transfers[number].isCut = true }
    transfers[number].sink.ended(.broken(reason: "cut"))
  }

  // MARK: NetworkClient

  func start(_ request: RangeRequest, sink: any RangeSink) -> TransferID {
    guard state.withLock({ $0.isPortioned }), case .bytes(let range) = request.range,
      let bytes = contents.withLock({ $0[request.url] })
    else { return site.start(request, sink: sink) }
    let (number, tag, hasTags, isWhole) = state.withLock { state in
      let sent = state.sendsWholes ? 0..<bytes.count : range
      state.transfers.append(
        Transfer(
          url: request.url, range: range, bytes: bytes, sink: sink, place: sent.lowerBound,
          end: sent.upperBound))
      return (state.transfers.count - 1, state.tag, state.hasTags, state.sendsWholes)
    }
    sink.accepted(
      AcceptedAnswer(
        representation: Representation(
          length: bytes.count,
          validator: hasTags ? .entityTag("\"\(bytes.hashValue)\(tag)\"") : .none),
        bytes: isWhole ? 0..<bytes.count : range, isWhole: isWhole, contentType: nil, freshFor: nil,
        finalURL: request.url))
    return TransferID(number: 1_000_000 + number)
  }

  func cancel(_ id: TransferID) {
    guard id.number >= 1_000_000 else { return site.cancel(id) }
    let sink = state.withLock { state in
      let transfer = state.transfers[id.number - 1_000_000]
      state.transfers[id.number - 1_000_000].isCancelled = true
      return transfer.isUnderWay ? transfer.sink : nil
    }
    sink?.ended(.cancelled)
  }

  func promote(_ id: TransferID) {
    guard id.number >= 1_000_000 else { return }
    state.withLock { $0.transfers[id.number - 1_000_000].isPromoted = true }
  }

  func spareConnections(to url: String) -> Int { 0 }

  func get(_ request: DocumentRequest) async throws(HTTPError) -> Document {
    try await site.get(request)
  }
}
