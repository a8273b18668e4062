import Control
import Foundation
import TestSupport
import Testing

extension Promises {
  /// Playlists, manifests and heads that want to take the program down. The reader gets an error with
  /// a reason, in time, and the mount lives on in little memory.
  @Suite(.timeLimit(.minutes(3)), .enabled(if: canMount))
  struct HostilePlaylistTests {
    private static let vod = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n"
    private static let hls = "application/x-mpegurl"
    private static let dash = "application/dash+xml"

    struct Document: Sendable {
      let name: String
      let text: @Sendable () -> String
      var isManifest = false
    }

    static let documents: [Document] = [
      Document(name: "a master that names itself") {
        "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n/d1\n"
      },
      Document(name: "20 MiB of remarks") {
        vod + String(repeating: "#" + String(repeating: "x", count: 1023) + "\n", count: 20 << 10)
      },
      Document(name: "200,000 segments") {
        vod + String(repeating: "#EXTINF:2,\ns.ts\n", count: 200_000) + "#EXT-X-ENDLIST\n"
      },
      Document(name: "ranges of 2⁶³ bytes") {
        vod + "#EXTINF:2,\n#EXT-X-BYTERANGE:9223372036854775807@9223372036854775807\ns.ts\n"
          + "#EXT-X-ENDLIST\n"
      },
      Document(name: "a day of 10³⁰⁰ seconds") {
        vod + "#EXTINF:1e300,\ns.ts\n#EXTINF:99999999999999999999,\ns.ts\n#EXT-X-ENDLIST\n"
      },
      Document(name: "a variable that grows") {
        let names = (1...60).map {
          "#EXT-X-DEFINE:NAME=\"v\($0)\",VALUE=\"{$v\($0 - 1)}{$v\($0 - 1)}\"\n"
        }
        return vod + "#EXT-X-DEFINE:NAME=\"v0\",VALUE=\"x\"\n" + names.joined()
          + "#EXTINF:2,\n{$v60}.ts\n#EXT-X-ENDLIST\n"
      },
      Document(name: "a head of 2⁶³ bytes") {
        vod + "#EXT-X-MAP:URI=\"/files/moov.mp4\"\n#EXTINF:2,\n/files/moov.mp4\n#EXT-X-ENDLIST\n"
      },
      Document(name: "boxes in boxes") {
        vod + "#EXT-X-MAP:URI=\"/files/deep.mp4\"\n#EXTINF:2,\n/files/deep.mp4\n#EXT-X-ENDLIST\n"
      },
      Document(name: "a key that is a film") {
        vod + "#EXT-X-KEY:METHOD=AES-128,URI=\"/pattern/k.mp4?size=1000000000&seed=1\"\n"
          + "#EXTINF:2,\n/files/deep.mp4\n#EXT-X-ENDLIST\n"
      },
      Document(name: "segments of zeros") {
        vod + "#EXTINF:2,\n/files/zeros.ts\n#EXT-X-ENDLIST\n"
      },
      Document(
        name: "entities in entities",
        text: {
          let entities = (1...9).map { number in
            let inner = String(repeating: "&e\(number - 1);", count: 10)
            return "<!ENTITY e\(number) \"\(inner)\">"
          }
          return "<?xml version=\"1.0\"?><!DOCTYPE MPD [<!ENTITY e0 \"x\">\(entities.joined())]>"
            + "<MPD type=\"static\"><Period>&e9;</Period></MPD>"
        }, isManifest: true),
      Document(
        name: "a timeline that repeats itself 2³¹ times",
        text: {
          manifest(
            "<SegmentTemplate media=\"$Number$.m4s\" initialization=\"i.mp4\" timescale=\"1\">"
              + "<SegmentTimeline><S t=\"0\" d=\"1\" r=\"2147483647\"/></SegmentTimeline>"
              + "</SegmentTemplate>")
        }, isManifest: true),
      Document(
        name: "a number of 10⁹ digits",
        text: {
          manifest(
            "<SegmentTemplate media=\"$Number%0999999999d$.m4s\" initialization=\"i.mp4\" "
              + "timescale=\"1\" duration=\"2\"/>")
        }, isManifest: true),
      Document(
        name: "a period of a thousand years",
        text: {
          manifest(
            "<SegmentTemplate media=\"$Number$.m4s\" initialization=\"i.mp4\" timescale=\"1000\" "
              + "duration=\"1\"/>", duration: "P1000Y")
        }, isManifest: true),
    ]

    private static func manifest(_ content: String, duration: String = "PT10S") -> String {
      """
      <MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static"
      mediaPresentationDuration="\(duration)">
      <Period><AdaptationSet mimeType="video/mp4"><Representation id="v" bandwidth="1"
      codecs="avc1.64001f" width="16" height="16">\(content)</Representation></AdaptationSet>
      </Period>
      </MPD>
      """
    }

    @Test func eachEndsInAnErrorWithItsReason() throws {
      let feed = try MountedFeed()
      try write(to: feed)
      let items = Self.documents.enumerated().map { number, document in
        let type = document.isManifest ? Self.dash : Self.hls
        return "<item><guid>\(number + 1)</guid><title>\(number + 1)</title><enclosure "
          + "length=\"0\" type=\"\(type)\" url=\"\(feed.origin.url("/d\(number + 1)"))\"/></item>"
      }
      try feed.origin.put(
        "<rss version=\"2.0\"><channel><title>t</title>\(items.joined())</channel></rss>",
        at: "/hostile", type: "application/rss+xml")
      for (number, document) in Self.documents.enumerated() {
        try feed.origin.put(
          document.text(), at: "/d\(number + 1)", type: document.isManifest ? Self.dash : Self.hls)
      }
      try feed.mount("/hostile", options: ["--read-timeout", "10"])
      let readers = try Self.documents.indices.map {
        try ChildProcess(["cat", feed.path($0 + 1).dropLast(3) + "mkv"])
      }
      for (number, reader) in readers.enumerated() {
        let name = Self.documents[number].name
        #expect(reader.wait(timeout: .seconds(30)) == 1, "\(name)")
        #expect(saidError(reader) && reader.output.bytes.isEmpty, "\(name): \(reader.errors.text)")
        let failure = try feed.status().files[number].failure?.what ?? ""
        print("hostile: \(name): \(failure)")
        #expect(!failure.isEmpty, "\(name)")
      }
      let peak = try feed.peakMemory()
      // A document that is too long is asked for once.
      #expect(try feed.origin.log(below: "/d2").count { $0.target == "/d2" } == 1)
      let reason = try feed.status().files[1].failure?.what ?? ""
      #expect(reason.contains("longer than 16 MiB"))
      print("measured: peak memory after hostile playlists: \(peak >> 20) MiB")
      #expect(peak < 160 << 20)
      #expect(try feed.process.isRunning)
    }

    /// Writes the files that the documents name.
    private func write(to feed: MountedFeed) throws {
      func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let size = UInt32(content.count + 8)
        return (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) } + Array(type.utf8)
          + content
      }
      let size: [UInt8] = [0x7F] + [UInt8](repeating: 0xFF, count: 7)
      let long = [0, 0, 0, 1] + Array("moov".utf8) + size
      var deep: [UInt8] = []
      // Each box holds all that follow.
      let depth = 50_000
      for level in 0..<depth {
        let size = UInt32((depth - level) * 8)
        deep += (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) }
        deep += Array((level == 0 ? "moov" : "trak").utf8)
      }
      for (name, bytes) in [
        ("moov.mp4", box("ftyp", Array("isom".utf8)) + long), ("deep.mp4", deep),
        ("zeros.ts", [UInt8](repeating: 0, count: 4 << 20)),
      ] {
        try Data(bytes).write(to: URL(filePath: feed.media + "/" + name))
      }
    }
  }
}
