import Control
import Foundation
import TestSupport
import Testing

extension Promises {
  /// Transport streams whose segments were cut anywhere are films without a hole.
  @Suite(
    .timeLimit(.minutes(5)), .enabled(if: canMount && isInstalled("ffmpeg"), "ffmpeg is missing"))
  struct CutStreamTests {
    enum Cut: String, CaseIterable, Sendable { case packets, bytes, ranges, encrypted }

    private static let picture = [
      "-c:v", "libx264", "-preset", "veryfast", "-bf", "3", "-g", "25", "-pix_fmt", "yuv420p",
    ]

    /// Writes the segments of a stream and their playlist.
    private func pack(_ stream: [UInt8], _ cut: Cut, below folder: String) throws {
      var random = SeededRandom(seed: 5)
      let places: [Int]
      switch cut {
      case .packets: places = (1..<8).map { stream.count / 8 / 188 * 188 * $0 }
      case .bytes, .ranges, .encrypted:
        places = Set((0..<24).map { _ in 1 + random.below(stream.count - 1) }).sorted()
      }
      var list = "#EXTM3U\n#EXT-X-VERSION:4\n#EXT-X-TARGETDURATION:5\n"
      if cut == .encrypted {
        try Data(Array(100..<116)).write(to: URL(filePath: folder + "/k.key"))
        list += "#EXT-X-KEY:METHOD=AES-128,URI=\"k.key\",IV=0x" + String(repeating: "0", count: 32)
        list += "\n"
      }
      if cut == .ranges { try Data(stream).write(to: URL(filePath: folder + "/all.ts")) }
      var start = 0
      for (number, end) in (places + [stream.count]).enumerated() {
        list += "#EXTINF:\(Double(end - start) / Double(stream.count) * 5),\n"
        if cut == .ranges {
          list += "#EXT-X-BYTERANGE:\(end - start)@\(start)\nall.ts\n"
        } else {
          let path = folder + "/s\(number).ts"
          try Data(stream[start..<end]).write(to: URL(filePath: path))
          list += "s\(number).ts\n"
          if cut == .encrypted { try encrypt(path) }
        }
        start = end
      }
      list += "#EXT-X-ENDLIST\n"
      try Data(list.utf8).write(to: URL(filePath: folder + "/v.m3u8"))
    }

    private func encrypt(_ path: String) throws {
      let key = (100..<116).map { String($0, radix: 16) }.joined()
      let outcome = try ChildProcess.run([
        "openssl", "enc", "-aes-128-cbc", "-K", key, "-iv", String(repeating: "0", count: 32),
        "-in", path, "-out", path + ".encrypted",
      ])
      try #require(outcome.status == 0, "\(outcome.err)")
      _ = try ChildProcess.run(["mv", path + ".encrypted", path])
    }

    @Test(arguments: Cut.allCases)
    func noPictureAndNoSoundIsLost(_ cut: Cut) throws {
      let feed = try MountedFeed()
      let source = feed.folder + "/source.ts"
      let made = try ChildProcess.run(
        [
          "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=25:duration=5",
          "-f", "lavfi", "-i", "anoisesrc=seed=7:amplitude=0.3:r=48000:duration=5",
        ] + Self.picture + ["-c:a", "aac", "-f", "mpegts", source])
      try #require(made.status == 0, "\(made.err)")
      try pack(Array(Data(contentsOf: URL(filePath: source))), cut, below: feed.media)
      try feed.origin.put(
        """
        <rss version="2.0"><channel><title>t</title><item><guid>1</guid><title>1</title>
        <enclosure length="0" type="application/x-mpegurl" url="\(feed.origin.url("/files/v.m3u8"))"/>
        </item></channel></rss>
        """, at: "/feed", type: "application/rss+xml")
      try feed.mount("/feed")
      let name = try #require(try feed.names(in: "").first { $0.hasPrefix("0001.") })
      let film = feed.mountPoint + "/" + name
      for kind in ["v", "a"] {
        let given = try StreamShapes.frames(kind, of: source)
        let own = try StreamShapes.frames(kind, of: film)
        #expect(own.hashes == given.hashes, "\(kind): \(own.hashes.count)")
      }
      let digest = try feed.digest(of: film)
      // In another order, and after the cache is gone, it has the same bytes.
      try feed.unmount()
      _ = try ChildProcess.run(["rm", "-rf", feed.cacheDirectory])
      try feed.mount("/feed")
      let reader = try MountedFile(film)
      _ = try reader.read(0..<4096)
      let size = try #require(try feed.status().files[0].size)
      var random = SeededRandom(seed: 3)
      for start in stride(from: 0, to: size, by: 65_536).shuffled(using: &random) {
        _ = try reader.read(start..<min(size, start + 65_536))
      }
      #expect(try feed.digest(of: film) == digest)
    }
  }
}
