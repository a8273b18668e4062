import Blocks
import NIOConcurrencyHelpers
import Streaming

@testable import FeedMount

/// A stream of sound alone, which needs no packager.
enum SoundStream {
  static let segments = 6
  private static let frames = 40

  /// Serves a stream of sound whose segments lie at addresses with `token`.
  static func serve(
    on site: MemorySite, at playlist: String, token: String, changed: Int? = nil
  ) {
    var text = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n"
    for number in 0..<segments {
      let address = "http://o/s\(number).aac?t=\(token)"
      site.put(segment(number, size: number == changed ? 200 : 300), at: address)
      text += "#EXTINF:0.853,\n\(address)\n"
    }
    site.put(text + "#EXT-X-ENDLIST\n", at: playlist)
  }

  /// Frames of AAC behind a tag with their time (RFC 8216 §3.4).
  private static func segment(_ number: Int, size: Int) -> [UInt8] {
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
      bytes += (0..<size).map { UInt8(truncatingIfNeeded: number * 31 + place * 7 + $0) }
    }
    return bytes
  }
}

/// The outcome of one fetch.
struct FetchOutcome: Sendable {
  var version: Representation?
  var bytes: [UInt8] = []
  var trouble: StreamTrouble?
  /// The end that a sink was told.
  var end: FetchEnd?
}

/// Notes what a fetch brings.
final class FetchRecorder: FetchSink {
  let outcome = NIOLockedValueBox(FetchOutcome())
  let whenEnded = NIOLockedValueBox<(@Sendable () -> Void)?>(nil)

  func began(_ fetch: FetchID, _ version: Representation, bytes: ByteRange, whole: Bool) {
    outcome.withLockedValue { $0.version = version }
  }

  func grows(_ fetch: FetchID, _ body: GrowingBody) {}

  func received(_ bytes: RawSpan, at offset: Int, in fetch: FetchID) {
    let bytes = bytes.withUnsafeBytes { Array($0) }
    outcome.withLockedValue { $0.bytes += bytes }
  }

  func rested(_ fetch: FetchID) {}
  func ended(_ fetch: FetchID, _ end: FetchEnd) {
    outcome.withLockedValue { $0.end = end }
    whenEnded.withLockedValue { $0 }?()
  }
}
