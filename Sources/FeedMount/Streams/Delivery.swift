import Blocks
import NIOConcurrencyHelpers
import Streaming
import Streams

/// Takes the bytes of a fetch.
final class FilmOutlet: Sendable {
  let fetch: FetchID
  let sink: any FetchSink
  private let end: NIOLockedValueBox<Int>

  /// - Parameter place: the first byte that is wanted.
  init(_ fetch: FetchID, _ sink: any FetchSink, from place: Int) {
    (self.fetch, self.sink) = (fetch, sink)
    end = NIOLockedValueBox(place)
  }

  /// The place in the file of the next byte.
  var place: Int { end.withLockedValue { $0 } }

  /// Gives bytes to the sink.
  func take(_ bytes: [UInt8]) {
    let place = end.withLockedValue { end in
      defer { end += bytes.count }
      return end
    }
    sink.received(bytes.span.bytes, at: place, in: fetch)
  }
}

/// Consecutive bytes of one resource, of which a reader takes what it needs in order.
///
/// It belongs to the reader of one film, and is used on its actor alone.
final class ResourceRun {
  let resource: Int
  let bytes: ByteRange
  /// The slots that are made of these bytes.
  let slots: ClosedRange<Int>
  private(set) var transfer: PieceTransfer?
  /// True once the answer's bytes may be taken.
  var isAdmitted = false
  private var buffer: [UInt8] = []
  /// The place in the resource of the first byte of `buffer`.
  private var start: Int

  init(resource: Int, bytes: ByteRange, slots: ClosedRange<Int>) {
    self.resource = resource
    self.bytes = bytes
    self.slots = slots
    start = bytes.lowerBound
  }

  func begin(_ transfer: PieceTransfer) {
    self.transfer = transfer
  }

  /// The bytes that came, from `place` on; empty if there are none.
  func available(from place: Int) -> ArraySlice<UInt8> {
    guard place >= start, place < start + buffer.count else { return [] }
    return buffer[(place - start)...]
  }

  /// Forgets the bytes before `place`.
  func drop(before place: Int) {
    let count = min(place - start, buffer.count)
    guard count > 0, count == buffer.count || count >= 1 << 18 else { return }
    if count == buffer.count { buffer = [] } else { buffer.removeFirst(count) }
    start += count
  }

  /// Adds bytes that came.
  func add(_ bytes: [UInt8]) {
    if buffer.isEmpty { buffer = bytes } else { buffer += bytes }
  }
}

/// The way of one fetch to its sink: bytes in order, in portions.
struct Delivery {
  /// Bytes that go to the sink at once. A call costs as much as a few KiB.
  private static let portion = 64 << 10

  let outlet: FilmOutlet
  private var bytes: [UInt8] = []
  var runs: [ResourceRun] = []

  init(_ outlet: FilmOutlet) {
    self.outlet = outlet
  }

  /// The place in the file of the next byte that is added.
  var place: Int { outlet.place + bytes.count }

  mutating func add(_ more: ArraySlice<UInt8>) {
    var rest = more
    while !rest.isEmpty {
      let part = rest.prefix(Self.portion - bytes.count)
      rest = rest.dropFirst(part.count)
      bytes += part
      if bytes.count >= Self.portion { flush() }
    }
  }

  mutating func add(zeros count: Int) {
    var left = count
    while left > 0 {
      let next = min(left, Self.portion - bytes.count)
      bytes += repeatElement(0, count: next)
      if bytes.count >= Self.portion { flush() }
      left -= next
    }
  }

  /// Gives all bytes to the sink.
  mutating func flush() {
    guard !bytes.isEmpty else { return }
    outlet.take(bytes)
    bytes.removeAll(keepingCapacity: true)
  }

  /// Gives all bytes to the sink, because the next ones take a while.
  mutating func rest() {
    flush()
    outlet.sink.rested(outlet.fetch)
  }
}

extension [SlotPiece] {
  /// The ranges of the fragment that the pieces need.
  var ranges: [Range<Int>] {
    compactMap { piece in
      guard case .range(let range) = piece else { return nil }
      return range
    }
  }

  /// The bytes of the fragment from the first to the last that the pieces need. Their ranges must be in
  /// order.
  var source: Range<Int> {
    let all = ranges
    return (all.first?.lowerBound ?? 0)..<(all.last?.upperBound ?? 0)
  }
}
