import Blocks
import Locks
import Testing

@testable import HTTP

/// Bodies without a length, and streams without an end, on the wire.
@Suite(.timeLimit(.minutes(1)))
struct LiveStreamTests {
  @Test(arguments: [
    ("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n1.ts\n", true),
    ("#EXTM3U\r\n#EXT-X-TARGETDURATION:6\r\n#EXTINF:6,\r\n1.ts\r\n#EXT-X-ENDLIST", false),
    ("#EXTM3U\n#EXT-X-PLAYLIST-TYPE:VOD\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n1.ts\n", false),
    ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n1.m3u8\n", false),
    ("#EXTM3U\n#EXTINF:-1,Radio\nhttp://h/1\n", false), ("", false),
  ])
  func onlyAPlaylistOfSegmentsWithoutAnEndIsLive(playlist: String, isBroadcast: Bool) {
    #expect(LiveStream.isBroadcast(Array(playlist.utf8)) == isBroadcast)
  }

  private static let playlist = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n1.ts\n"

  @Test(arguments: ["application/vnd.apple.mpegurl", "video/mp4"])
  func alivePlaylistIsToldWhateverItsTypeIs(type: String) async throws {
    let head =
      "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(Self.playlist.count)\r\n\r\n"
    let (end, sink) = try await end(after: [.send(head + Self.playlist)])

    guard case .refused(.live)? = end else {
      Issue.record("\(String(describing: end))")
      return
    }
    #expect(sink.bodies.isEmpty && sink.bytes.isEmpty)
  }

  @Test(arguments: [
    "HTTP/1.0 200 OK\r\nicy-name: Radio\r\n", "ICY 200 OK\r\nContent-Type: audio/mpeg\r\n",
  ])
  func aRadioIsALiveStream(head: String) async throws {
    let (end, sink) = try await end(after: [
      .send(head + "\r\n" + String(repeating: "x", count: 999)), .hold,
    ])

    guard case .refused(.live)? = end else {
      Issue.record("\(String(describing: end))")
      return
    }
    #expect(sink.bytes.isEmpty)
  }

  /// The way in which a body without a length ends.
  enum Ending: CaseIterable, Sendable {
    case lastChunk, noLastChunk, cutChunk, close

    var isFramed: Bool { self != .close }
    var isWhole: Bool { self == .lastChunk || self == .close }

    func script(_ body: String) -> String {
      let size = String(body.utf8.count, radix: 16)
      let head = "HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n"
      let chunked = head + "Transfer-Encoding: chunked\r\n\r\n\(size)\r\n"
      return switch self {
      case .lastChunk: chunked + body + "\r\n0\r\n\r\n"
      case .noLastChunk: chunked + body + "\r\n"
      case .cutChunk: chunked + body.dropLast()
      case .close: head + "Connection: close\r\n\r\n" + body
      }
    }
  }

  @Test(arguments: Ending.allCases, [100, 20])
  func onlyALastChunkTellsAnEndFromABreak(ending: Ending, length: Int) async throws {
    let body = String(repeating: "abcde", count: length / 5)
    let (end, sink) = try await end(after: [.send(ending.script(body))])

    #expect((end == .complete) == ending.isWhole, "\(String(describing: end))")
    if length > BodyKind.head || ending.isWhole {
      #expect(sink.bodies.map(\.isFramed) == [ending.isFramed] && sink.bodies[0].length == nil)
      #expect(sink.bytes == Array((ending == .cutChunk ? body.dropLast() : body[...]).utf8))
    }
  }

  private func end(
    after script: [ScriptedServer.Step]
  ) async throws -> (TransferEnd?, GrowthSink) {
    try await ScriptedServer.run([[.request] + script]) { server in
      let client = try HTTPClient(HTTPConfiguration(typedHosts: ["127.0.0.1"]))
      let sink = GrowthSink()
      var request = RangeRequest(url: server.url + "/v", range: .bytes(0..<500), expected: nil)
      request.mayGrow = true
      _ = client.start(request, sink: sink)
      let end = await sink.end()
      client.shutDown()
      return (end, sink)
    }
  }
}

/// Records an answer that does not tell its length.
private final class GrowthSink: RangeSink {
  private let recorded = Locked<(bodies: [GrowingBody], bytes: [UInt8])>(([], []))
  private let ends = AsyncStream.makeStream(of: TransferEnd.self)

  var bodies: [GrowingBody] { recorded.withLock { $0.bodies } }
  var bytes: [UInt8] { recorded.withLock { $0.bytes } }

  func end() async -> TransferEnd? {
    var iterator = ends.stream.makeAsyncIterator()
    return await iterator.next()
  }

  func grows(_ body: GrowingBody, _ answer: AnswerFacts) {
    recorded.withLock { $0.bodies.append(body) }
  }

  func accepted(_ answer: AcceptedAnswer) {}

  func received(_ bytes: RawSpan, at offset: Int) {
    recorded.withLock { recorded in
      bytes.withUnsafeBytes { recorded.bytes.append(contentsOf: $0) }
    }
  }

  func ended(_ end: TransferEnd) {
    ends.continuation.yield(end)
  }
}
