import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// Refusals: answers that say that the address will never do.
  @Suite(.serialized, .timeLimit(.minutes(3))) struct RefusalTests {
    /// The kind of film at `/film`.
    enum Kind: String, CaseIterable {
      case noLength, page, page206, coding, multipart, noRange, torrent, radio

      var fault: OriginFault? {
        switch self {
        case .noLength: .status200chunked
        case .page: .html
        case .page206: .html206
        case .coding: .gzip
        case .multipart: .multipart
        case .noRange: .norange
        case .torrent: nil
        case .radio: .status200chunked
        }
      }

      var body: [UInt8] {
        switch self {
        case .torrent: Array("d8:announce30:http://tracker.example/announce4:infod4:name1:aee".utf8)
        default: Pattern.bytes(0..<300_000, seed: 1)
        }
      }
    }

    /// A film without a length, one that is a page, one that is a list: on the kernel, too.
    private static let kinds = DriveKind.cases(
      Kind.allCases, onKernel: [.noLength, .page206, .torrent])
    /// Without another candidate, a film without a length is read.
    private static let refused = kinds.filter { $0.1 != .noLength }

    @Test(arguments: kinds)
    func theNextCandidateIsPlayedAtOnce(on drive: DriveKind, kind: Kind) throws {
      let feed = try drive.drive()
      let other = PatternFile(name: "other", size: 500_000, seed: 2)
      try serve(kind, ["/film", other.path], by: feed)
      try feed.mount("/refused", options: ["--sizes", "open"])

      #expect(try feed.bytes(of: feed.path(1)) == Pattern.bytes(0..<500_000, seed: 2))
      let log = try feed.origin.log().filter { $0.path != "/refused" }
      #expect(log.count { $0.path == "/film" } == 1)
      #expect(log.count >= 2 && log[1].ms - log[0].ms < 1000)
    }

    @Test(arguments: refused)
    func withNoneTheOpenFailsAtOnceAndIsNotAskedAgainUntilTheUserSaysSo(
      on drive: DriveKind, kind: Kind
    ) throws {
      let feed = try drive.drive()
      try serve(kind, ["/film"], by: feed)
      try feed.mount("/refused", options: ["--sizes", "open"])
      let start = ContinuousClock.now

      for _ in 0..<3 { #expect(try feed.failure(ofReading: feed.path(1)) == EIO) }
      #expect(ContinuousClock.now - start < .seconds(4).here)
      #expect(try feed.origin.log(below: "/film").count == 1)
      try tellsWhy(feed)

      // On the user's command it is asked once, and the command ends with the reason.
      let refusal = #expect(throws: CommandRefusal.self) { try feed.fetch(["0001.mp4"]) }
      #expect(refusal?.description.contains("cannot be used") ?? false)
      #expect(try feed.origin.log(below: "/film").count == 2)
    }

    @Test(arguments: DriveKind.all) func whatIsGoneIsToldWhereOneLooks(on drive: DriveKind) throws {
      let feed = try drive.drive()
      try serve(.noLength, ["/film"], by: feed)
      try feed.origin.clear()
      try feed.origin.fault(.status, below: "/film", ["code": "410"])
      try feed.mount("/refused", options: ["--sizes", "open"])
      let start = ContinuousClock.now
      let refusal = #expect(throws: CommandRefusal.self) { try feed.fetch(["0001.mp4"]) }

      #expect(refusal?.description.contains("status 410") ?? false)
      #expect(ContinuousClock.now - start < .seconds(10).here)
      #expect(try feed.origin.log(below: "/film").count <= 3)
      #expect(try feed.status().files[0].failure?.what == "status 410")
    }

    /// Like yt-dlp without `-f b`: picture and sound apart.
    @Test func aResolverThatPrintsThreeAddressesIsAnErrorAndNoFilm() throws {
      let feed = try MountedFeed()
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
        printf 'resolver = ["sh", "-c", "echo %s; echo %s?2; echo %s?3", "{url}"]' "$2" "$2" "$2" \
          >"$1/.config/feedfs/config.toml"
        """, "sh", feed.folder, feed.origin.url("/video"),
      ])
      try feed.mount("/refused", options: ["--sizes", "open"])

      #expect(try ChildProcess.run(["cat", feed.path(1)]).status == 1)
      let failure = try feed.status().files[0].failure
      #expect(failure?.what.contains("printed 3 addresses") ?? false)
      #expect(failure?.what.contains("a picture and its sound") ?? false)
      #expect(try feed.origin.log(below: "/video").isEmpty)
    }

    // MARK: Private

    private func tellsWhy(_ feed: any Drive) throws {
      let file = try feed.status().files[0]
      #expect(file.failure?.what.contains("cannot be used") ?? false)
      #expect(file.failure?.retryIn ?? 0 > 500)
      #expect(try feed.details(of: feed.path(1)).file.failure?.what == file.failure?.what)
      #expect(try feed.attribute("user.feedfs.error", of: feed.path(1)).contains("cannot be used"))
      if let feed = feed as? MountedFeed {
        let status = try feed.feedfs("status", feed.path(1))
        #expect(status.out.contains("cannot be used"), "\(status.out)")
      }
    }

    private func serve(_ kind: Kind, _ paths: [String], by feed: any Drive) throws {
      let radio = ["icy-name": "Radio", "icy-br": "128"]
      try feed.origin.put(
        kind.body, at: "/film", type: "video/mp4", headers: kind == .radio ? radio : [:])
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
