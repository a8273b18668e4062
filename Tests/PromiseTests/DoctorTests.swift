import Glibc
import TestSupport
import Testing

extension Promises {
  /// `feedfs doctor` finds faults, and names their remedies.
  @Suite(.timeLimit(.minutes(3))) struct DoctorTests {
    private let feed: MountedFeed
    private var url: String { feed.origin.url("/feed") }

    init() throws {
      feed = try MountedFeed()
      try feed.serve([PatternFile(name: "a", size: 1 << 20), PatternFile(name: "b", size: 1 << 20)])
    }

    private func doctor(_ arguments: String...) throws -> (status: Int32, lines: [String]) {
      let all = ["doctor", "--cache-dir", feed.cacheDirectory] + arguments
      let outcome = try ChildProcess.run(
        [BuiltBinary.path("feedfs")] + all, environment: feed.environment)
      #expect(outcome.err.isEmpty, "\(outcome.err)")
      let lines = outcome.out.split(separator: "\n").map(String.init)
      for line in lines where !arguments.contains("--json") {
        #expect(line.firstMatch(of: /^(ok    |warn  |bad   ).+: .+/) != nil, "\(line)")
        if !line.hasPrefix("ok") { #expect(line.contains(" - "), "\(line)") }
      }
      return (outcome.status, lines)
    }

    private func finds(_ start: String, _ words: String, in lines: [String]) -> Bool {
      lines.contains { $0.hasPrefix(start) && $0.contains(words) }
    }

    @Test func whatIsWellIsSaidToBe() throws {
      let (status, lines) = try doctor(url)
      #expect(status == 0 && !lines.contains { $0.hasPrefix("bad") }, "\(lines)")
      for what in ["kernel", "/dev/fuse", "fusermount3", "permissions", "cache", "sparse files"] {
        #expect(finds("ok    \(what)", "", in: lines), "\(what)")
      }
      #expect(finds("ok", "2 entries that can be played", in: lines))
      for words in ["answers within", "has ranges", "by an ETag"] {
        #expect(finds("ok", words, in: lines), "\(words) in \(lines)")
      }
      // One small request for one entry is enough to check an origin.
      try feed.settle()
      #expect(try feed.mediaRequests().map(\.bytesSent) == [1])
      #expect(access(feed.cacheDirectory, F_OK) != 0, "it makes nothing that stays")
    }

    @Test func aStreamThatCannotBeHadIsNamed() throws {
      let head = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n"
      try feed.origin.put(
        head + "#EXTINF:2,\na.ts\n#EXT-X-ENDLIST\n", at: "/film.m3u8", type: "application/x-mpegurl"
      )
      try feed.origin.put(
        head + "#EXTINF:2,\na.ts\n", at: "/live.m3u8", type: "application/x-mpegurl")
      let items = ["film", "live"].map { name in
        "<item><guid>\(name)</guid><title>\(name)</title><enclosure type=\"application/x-mpegurl\""
          + " url=\"\(feed.origin.url("/\(name).m3u8"))\"/></item>"
      }
      try feed.origin.put(
        "<rss version=\"2.0\"><channel><title>t</title>\(items.joined())</channel></rss>",
        at: "/streams", type: "application/rss+xml")
      let (_, lines) = try doctor(feed.origin.url("/streams"))
      #expect(finds("ok", "/film.m3u8: a stream that becomes a file", in: lines), "\(lines)")
      #expect(
        finds(
          "warn", "/live.m3u8: a stream that cannot become a file: the stream is still live",
          in: lines))
    }

    @Test func itsJSONHasTheShapeThatIsDocumented() throws {
      let (status, lines) = try doctor("--json", feed.origin.url("/nothing"))
      #expect(status == 69)
      let shape = try DocumentedShape("DoctorReport")
      #expect(shape.faults(of: try AnyJSON(lines.joined(separator: "\n"))) == [])
    }

    @Test func aTerminalIsToldAllOfItInItsWidth() throws {
      let line = try feed.command(["doctor", feed.origin.url("/nothing")])
      let outcome = try Terminal.run(line, columns: 60, environment: feed.environment)
      #expect(outcome.status == 69)
      let lines = outcome.text.replacing("\u{1B}[31m", with: "").replacing("\u{1B}[32m", with: "")
        .replacing("\u{1B}[1;34m", with: "").replacing("\u{1B}[m", with: "").split(
          separator: "\r\n")
      #expect(lines.allSatisfy { $0.count <= 60 } && lines.contains { $0.hasPrefix("bad   ") })
      let words = lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
      #expect(
        words.contains("whether the address is right - check the address; `feedfs feed show`"),
        "\(words)")
    }

    @Test func anOriginIsFoundToHaveWhatItHasNot() throws {
      try feed.origin.fault(.status200, below: "/pattern/")
      try feed.origin.describe(below: "/pattern/", etag: "none", lastModified: false)
      let (status, lines) = try doctor(url)
      #expect(status == 0)
      #expect(finds("warn", "has no ranges", in: lines), "\(lines)")
      #expect(finds("warn", "sends neither ETag nor date", in: lines))
    }

    struct Fault: CustomTestStringConvertible, Sendable {
      let testDescription: String
      let says: String
      let make: @Sendable (OriginProcess) throws -> Void
    }

    @Test(arguments: [
      Fault(testDescription: "no such feed", says: "status 404") { try $0.remove("/feed") },
      Fault(testDescription: "a page", says: "HTML") {
        try $0.put("<!DOCTYPE html><p>Hello", at: "/feed", type: "text/html")
      },
      Fault(testDescription: "no such file", says: "status 404") {
        try $0.fault(.status, below: "/pattern/", ["code": "404"])
      },
      Fault(testDescription: "a captive portal", says: "a page (text/html)") {
        try $0.fault(.html, below: "/pattern/")
      },
      Fault(testDescription: "nothing comes", says: "answer") {
        try $0.fault(.stall, below: "/feed")
      },
    ])
    func whatIsWrongIsFoundAndEndsWith69(fault: Fault) throws {
      try fault.make(feed.origin)
      let (result, time) = try measured("doctor of \(fault.testDescription)") { try doctor(url) }
      #expect(result.status == 69)
      #expect(finds("bad", fault.says, in: result.lines), "\(result.lines)")
      #expect(time < .seconds(15).here)
    }

    @Test func thePrivateAddressesOfAFeedAreNotAskedUnlessAllowed() throws {
      try feed.serve([
        PatternFile(
          name: "a", size: 1, url: "http://127.0.0.2:\(feed.origin.port)/pattern/a?size=9")
      ])
      let (status, lines) = try doctor(url)
      #expect(status == 69)
      #expect(finds("bad", "not a public address; --allow-private", in: lines), "\(lines)")
      let allowed = try doctor("--allow-private", "127.0.0.2/32", url)
      #expect(finds("bad", "does not answer: connection refused", in: allowed.lines))
    }

    @Test func aCacheThatCannotBeIsFound() throws {
      mkdir(feed.cacheDirectory, 0o700)
      chmod(feed.cacheDirectory, 0o777)
      let (status, lines) = try doctor()
      #expect(status == 69)
      #expect(finds("bad   cache", "chmod go-w", in: lines), "\(lines)")
    }

    @Test func subscriptionsAreLookedAtAndAConfigurationThatIsWrongIsFound() throws {
      try feed.write("[[feed]]\nurl = \"\(url)\"\n", to: MountedFeed.configuration)
      #expect(finds("ok", "2 entries that can be played", in: try doctor().lines))
      try feed.write("colour = 1\n", to: MountedFeed.configuration)
      let (status, lines) = try doctor()
      #expect(status == 69 && finds("bad   configuration", "colour", in: lines), "\(lines)")
      #expect(!lines.contains { $0.contains("you have no subscriptions") }, "\(lines)")
    }

    @Test func aDaemonThatDoesNotAnswerIsFound() throws {
      try feed.mount()
      #expect(finds("ok", "\(feed.mountPoint) answers", in: try doctor().lines))
      try feed.process.freeze()
      let (status, lines) = try doctor()
      try feed.process.signal(SIGCONT)
      #expect(status == 69)
      #expect(finds("bad   mount", "\(feed.mountPoint) does not answer", in: lines), "\(lines)")
    }

    @Test(.unless(OrdinaryUser.obstacle))
    func anotherUserIsToldOfWhatIsHisAlone() throws {
      try feed.mount()
      let user = try OrdinaryUser()
      let home = feed.folder + "/theirs"
      mkdir(home, 0o700)
      try user.own([home])
      chmod(feed.folder, 0o755)
      let environment = feed.environment.mapValues { _ in String?.none }
        .merging(["HOME": home]) { $1 }
      let well = try ChildProcess.run(
        user.run([user.feedfs, "doctor", url]), environment: environment)
      #expect(well.status == 0, "\(well)")
      #expect(
        well.out.contains(
          "ok    cache: \(home)/.cache/feedfs does not exist yet, and will be made"), "\(well.out)")
      #expect(!well.out.contains(feed.mountPoint), "another's mount is nobody else's business")

      let ours = try ChildProcess.run(
        user.run([user.feedfs, "doctor", "--cache-dir", feed.cacheDirectory]),
        environment: environment)
      #expect(ours.status == 69)
      let words = "bad   cache: you may not write to \(feed.cacheDirectory)"
      #expect(ours.out.contains(words), "\(ours.out)")
    }

    @Test(.unless(OrdinaryUser.obstacle))
    func anothersMountWhoseDaemonIsDeadIsNoneOfHisConcern() throws {
      try feed.mount(options: ["--allow-other"])
      let user = try OrdinaryUser()
      chmod(feed.folder, 0o755)
      try feed.killWithoutATrace()
      var environment = feed.environment
      environment["XDG_RUNTIME_DIR"] = .some(nil)
      let found = try ChildProcess.run(user.run([user.feedfs, "doctor"]), environment: environment)
      #expect(!found.out.contains(feed.mountPoint) && !found.out.contains("mount: "), "\(found)")
    }
  }
}
