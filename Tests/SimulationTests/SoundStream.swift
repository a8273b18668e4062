import Blocks
import Filling
import Locks
import Streams

@testable import FeedMount
@testable import StreamFiles
@testable import World

/// A stream of sound alone, which needs no packager.
enum SoundStream {
  static let segments = 6
  private static let frames = 40

  /// Serves a stream of sound whose segments lie at addresses with `token`.
  static func serve(
    on site: MemorySite, at playlist: String, token: String, changed: Int? = nil
  ) {
    for number in 0..<segments {
      let address = "http://o/s\(number).aac?t=\(token)"
      site.put(segment(number, isChanged: number == changed), at: address)
    }
    site.put(Self.playlist { "http://o/s\($0).aac?t=\(token)" }, at: playlist)
  }

  /// Returns a playlist with the segments at these addresses.
  static func playlist(at address: (Int) -> String) -> String {
    (0..<segments).reduce(into: "#EXTM3U\n#EXT-X-TARGETDURATION:1\n") { text, number in
      text += "#EXTINF:0.853,\n\(address(number))\n"
    } + "#EXT-X-ENDLIST\n"
  }

  /// Makes the film of such a stream, without a network that could fail.
  static func film(changed: Int?) -> (version: Representation, bytes: [UInt8]) {
    let (site, world) = (MemorySite(), SimulatedWorld(seed: 0))
    let playlist = "http://o/v.m3u8"
    serve(on: site, at: playlist, token: "", changed: changed)
    let maker = StreamMaker(
      pieces: PieceClient(client: site, feed: nil, tasks: world.tasks),
      queue: world.jobs.queue("films"),
      layouts: SavedLayouts(read: { _ in nil }, write: { _, _ in }), wishes: StreamWishes(),
      wall: .real)
    let origin = maker.origin(expected: nil, before: nil) { finder, _ in
      try await finder.source(at: PiecePlace(address: playlist))
    }
    let sink = FetchRecorder()
    origin.start(
      FetchID(1), of: 0..<1 << 30, .demand, for: sink, mayBegin: { _ in true }, ended: { _ in })
    world.settle()
    let outcome = sink.outcome.withLock { $0 }
    guard let version = outcome.version, version.length == outcome.bytes.count else {
      preconditionFailure("no film")
    }
    return (version, outcome.bytes)
  }

  /// Makes a segment. The first one changes its bytes alone, as where a packager writes over its
  /// segments. All others change their sizes too.
  static func segment(_ number: Int, isChanged: Bool) -> [UInt8] {
    guard isChanged, number == 0 else { return segment(number, size: isChanged ? 200 : 300) }
    return segment(number, size: 300, salt: 1)
  }

  /// Frames of AAC behind a tag with their time (RFC 8216 §3.4).
  static func segment(_ number: Int, size: Int, salt: Int = 0) -> [UInt8] {
    let ticks = UInt64(number * frames * 1024 * 90_000 / 48_000)
    var tag = Array("com.apple.streaming.transportStreamTimestamp\0".utf8)
    tag += (0..<8).map { UInt8(truncatingIfNeeded: ticks >> (56 - 8 * UInt64($0))) }
    let frame = Array("PRIV".utf8) + [0, 0, 0, UInt8(tag.count), 0, 0] + tag
    var bytes = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame
    for place in 0..<frames {
      let length = size + 7
      bytes += [
        0xFF, 0xF1, 0x4C, 0x80 | UInt8(length >> 11), UInt8(length >> 3 & 0xFF),
        UInt8(length & 7) << 5 | 0x1F, 0xFC,
      ]
      bytes += (0..<size).map { UInt8(truncatingIfNeeded: number * 31 + place * 7 + $0 + salt) }
    }
    return bytes
  }
}

/// The outcome of one fetch.
struct FetchOutcome: Sendable {
  var version: Representation?
  var bytes: [UInt8] = []
  var trouble: PieceError?
  /// The end that a sink was told.
  var end: FetchEnd?
}

/// Notes what a fetch brings.
final class FetchRecorder: FetchSink {
  let outcome = Locked(FetchOutcome())
  let whenEnded = Locked<(@Sendable () -> Void)?>(nil)

  var hasEnded: Bool { outcome.withLock { $0.end != nil } }

  func began(_ fetch: FetchID, _ version: Representation, bytes: ByteRange, whole: Bool) {
    outcome.withLock { $0.version = version }
  }

  func grows(_ fetch: FetchID, _ body: GrowingBody) {}

  func received(_ bytes: RawSpan, at offset: Int, in fetch: FetchID) {
    let bytes = bytes.withUnsafeBytes { Array($0) }
    outcome.withLock { $0.bytes += bytes }
  }

  func rested(_ fetch: FetchID) {}
  func ended(_ fetch: FetchID, _ end: FetchEnd) {
    outcome.withLock { $0.end = end }
    whenEnded.withLock { $0 }?()
  }
}

extension StreamOrigin {
  /// Fetches bytes of the film, and returns their outcome.
  func fetch(_ range: ByteRange = 0..<1 << 30, as number: Int = 1) async -> FetchOutcome {
    let sink = FetchRecorder()
    let trouble = await withCheckedContinuation { continuation in
      start(
        FetchID(number), of: range, .demand, for: sink, mayBegin: { _ in true },
        ended: { continuation.resume(returning: $0) })
    }
    var outcome = sink.outcome.withLock { $0 }
    outcome.trouble = trouble
    return outcome
  }
}

extension HTTPOrigin {
  /// Fetches bytes, and returns their outcome.
  func fetch(_ range: ByteRange, as number: Int = 1) async -> FetchOutcome {
    let sink = FetchRecorder()
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      sink.whenEnded.withLock { $0 = { continuation.resume() } }
      start(FetchID(number), of: range, urgency: .demand, for: sink)
    }
    return sink.outcome.withLock { $0 }
  }
}

extension MemorySite {
  /// Returns the stream "http://o/v.m3u8" of this site as an origin. Its layouts are kept in
  /// `documents`.
  func stream(
    expected: Representation?, keeping documents: Locked<[String: [UInt8]]>
  ) -> StreamOrigin {
    let layouts = SavedLayouts(
      read: { name in documents.withLock { $0[name] } },
      write: { document, name in documents.withLock { $0[name] = document } })
    let maker = StreamMaker(
      pieces: PieceClient(client: self, feed: nil, tasks: .real), queue: DispatchJobs("films"),
      layouts: layouts, wishes: StreamWishes(), wall: .real)
    return maker.origin(expected: expected, before: nil) { finder, _ in
      try await finder.source(at: PiecePlace(address: "http://o/v.m3u8"))
    }
  }
}
