import Control
import TestSupport
import Testing

extension Promises {
  /// Refusals: answers that say that the address will never do.
  @Suite(.serialized, .timeLimit(.minutes(3)), .enabled(if: canMount)) struct RefusalTests {
    /// The kind of film at `/film`.
    enum Kind: String, CaseIterable {
      case noLength, page, page206, coding, multipart, noRange, hls, hlsText, torrent

      var fault: OriginFault? {
        switch self {
        case .noLength: .status200chunked
        case .page: .html
        case .page206: .html206
        case .coding: .gzip
        case .multipart: .multipart
        case .noRange: .norange
        case .hls, .hlsText, .torrent: nil
        }
      }

      var type: String { self == .hls ? "application/vnd.apple.mpegurl" : "video/mp4" }

      var body: [UInt8] {
        switch self {
        case .hls, .hlsText: Array("#EXTM3U\n#EXT-X-VERSION:3\n#EXTINF:4,\n1.ts\n".utf8)
        case .torrent: Array("d8:announce30:http://tracker.example/announce4:infod4:name1:aee".utf8)
        default: Pattern.bytes(0..<300_000, seed: 1)
        }
      }
    }

    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
    }

    @Test(arguments: Kind.allCases) func theNextCandidateIsPlayedAtOnce(kind: Kind) throws {
      let other = PatternFile(name: "other", size: 500_000, seed: 2)
      try serve(kind, ["/film", other.path])
      try feed.mount("/refused")

      #expect(try feed.bytes(of: feed.path(1)) == Pattern.bytes(0..<500_000, seed: 2))
      let log = try feed.origin.log().filter { $0.path != "/refused" }
      #expect(log.count { $0.path == "/film" } == 1)
      #expect(log.count >= 2 && log[1].ms - log[0].ms < 1000)
    }

    @Test(arguments: Kind.allCases)
    func withNoneTheOpenFailsAtOnceAndIsNotAskedAgainUntilTheUserSaysSo(kind: Kind) throws {
      try serve(kind, ["/film"])
      try feed.mount("/refused")
      let start = ContinuousClock.now

      for _ in 0..<3 {
        let outcome = try ChildProcess.run(["cat", feed.path(1)])
        #expect(outcome.status == 1)
        #expect(outcome.err.contains("Input/output error"))
      }
      #expect(ContinuousClock.now - start < .seconds(4))
      #expect(try requests == 1)
      try tellsWhy()

      // On the user's command it is asked once, and the command ends with the reason.
      let fetch = try feed.cache("fetch", "0001.mp4")
      #expect(fetch.status == 69)
      #expect(fetch.err.contains("cannot be used"))
      #expect(try requests == 2)
    }

    @Test func whatIsGoneIsToldWhereOneLooks() throws {
      try serve(.noLength, ["/film"])
      try feed.origin.clear()
      try feed.origin.fault(.status, below: "/film", ["code": "410"])
      try feed.mount("/refused")
      let start = ContinuousClock.now
      let fetch = try feed.cache("fetch", "0001.mp4")

      #expect(fetch.status == 69)
      #expect(fetch.err.contains("status 410"))
      #expect(ContinuousClock.now - start < .seconds(10))
      #expect(try requests <= 3)
      #expect(try feed.status().files[0].failure?.what == "status 410")
    }

    /// Like yt-dlp without `-f b`: picture and sound apart.
    @Test func aResolverThatPrintsTwoAddressesIsAnErrorAndNoFilm() throws {
      try feed.origin.put(
        """
        <rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel><title>t</title>
        <item><guid>1</guid><title>One</title><link>https://video.example/1</link>
        <media:content medium="video"><media:player url="https://p.example/"/></media:content>
        </item></channel></rss>
        """, at: "/refused", type: "application/rss+xml")
      _ = try ChildProcess.run([
        "sh", "-c",
        """
        mkdir -p "$1/.config/feedfs"
        printf 'resolver = ["sh", "-c", "echo %s; echo %s?2", "{url}"]' "$2" "$2" \
          >"$1/.config/feedfs/config.toml"
        """, "sh", feed.folder, feed.origin.url("/video"),
      ])
      try feed.mount("/refused")

      #expect(try ChildProcess.run(["cat", feed.path(1)]).status == 1)
      let failure = try feed.status().files[0].failure
      #expect(failure?.what.contains("printed 2 addresses") ?? false)
      #expect(failure?.what.contains("-f b") ?? false)
      #expect(try feed.origin.log(below: "/video").isEmpty)
    }

    // MARK: Private

    private var requests: Int {
      get throws { try feed.origin.log(below: "/film").count }
    }

    private func tellsWhy() throws {
      let file = try feed.status().files[0]
      #expect(file.failure?.what.contains("cannot be used") ?? false)
      #expect(file.failure?.retryIn ?? 0 > 500)
      let status = try feed.feedfs("status", feed.path(1))
      #expect(status.out.contains("cannot be used"), "\(status.out)")
      let read = try ChildProcess.run([
        "python3", "-c",
        "import os,sys; print(os.getxattr(sys.argv[1], 'user.feedfs.error').decode())",
        feed.path(1),
      ])
      #expect(read.out.contains("cannot be used"), "\(read.err)")
    }

    private func serve(_ kind: Kind, _ paths: [String]) throws {
      try feed.origin.put(kind.body, at: "/film", type: kind.type)
      if let fault = kind.fault { try feed.origin.fault(fault, below: "/film") }
      let contents = paths.enumerated().map { index, path in
        let url = feed.origin.url(path).split(separator: "&").joined(separator: "&amp;")
        return "<media:content url=\"\(url)\" type=\"video/mp4\" height=\"\(1080 - index * 360)\"/>"
      }
      try feed.origin.put(
        """
        <rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel><title>t</title>
        <item><guid>1</guid><title>One</title><media:group>\(contents.joined())</media:group></item>
        </channel></rss>
        """, at: "/refused", type: "application/rss+xml")
    }
  }
}
