import Control
import TestSupport
import Testing

extension Promises {
  /// A server that TLS must not trust is not read. Cached bytes stay, and reads go on once the
  /// right server is back.
  @Suite(.timeLimit(.minutes(3)), .unless(Gate.obstacle))
  struct TLSTests {
    private static let size = 1 << 20

    private let feed: MountedFeed
    private let gate: Gate

    init() throws {
      feed = try MountedFeed()
      gate = try Gate(before: feed.origin)
      try feed.serve(
        (1...3).map { number in
          var file = PatternFile(name: "f\(number)", size: Self.size, seed: UInt64(number))
          file.url = gate.url(file.path)
          return file
        })
    }

    /// A connection that must not come about.
    struct Imposture: CustomTestStringConvertible, Sendable {
      let testDescription: String
      let identity: Gate.Identity
      var version = Gate.Version.newest
      var isPinned = false
      let words: String
    }

    private static let impostures = [
      Imposture(
        testDescription: "expired", identity: .expired, words: "certificate is not trusted"),
      Imposture(
        testDescription: "wrong host", identity: .wronghost, words: "certificate is not trusted"),
      Imposture(
        testDescription: "self-signed", identity: .selfsigned, words: "certificate is not trusted"),
      Imposture(
        testDescription: "untrusted", identity: .untrusted, words: "certificate is not trusted"),
      Imposture(testDescription: "TLS 1.0", identity: .good, version: .tls1, words: "TLS"),
      Imposture(testDescription: "TLS 1.1", identity: .good, version: .tls11, words: "TLS"),
      Imposture(
        testDescription: "another key", identity: .renewed, isPinned: true,
        words: "public key is not the one"),
    ]

    /// All of them at one time, each on its own mount.
    @Test func whoIsNotToBeBelievedIsNotRead() throws {
      let trials = try Self.impostures.map { imposture in
        let trial = try GateTrial(
          films: GateTrial.fresh, of: GateTrial.head, readTimeout: 3, isPinned: imposture.isPinned)
        #expect(trial.becomesRight(1))
        try trial.gate.serve(imposture.identity, version: imposture.version)
        try trial.feed.origin.reset()
        return (imposture: imposture, trial: trial, reader: try trial.reader(of: GateTrial.fresh))
      }
      for (imposture, trial, reader) in trials {
        let list = try ChildProcess.run(["ls", trial.feed.mountPoint], timeout: .seconds(10))
        #expect(list.status == 0, "\(imposture)")
        #expect(reader.wait(timeout: .seconds(60)) == 1, "\(imposture)")
        #expect(reader.output.bytes.isEmpty && saidError(reader), "\(imposture)")
        try expectSilence(trial, imposture)
        try trial.gate.serve(.good)
        #expect(trial.becomesRight(GateTrial.fresh), "\(imposture)")
        #expect(try trial.feed.process.isRunning, "\(imposture)")
      }
    }

    /// Expects that no request went through, not even its head, and that the cached bytes are
    /// there.
    private func expectSilence(_ trial: GateTrial, _ imposture: Imposture) throws {
      #expect(try trial.feed.origin.log(below: "/pattern").isEmpty, "\(imposture)")
      let origin = try #require(
        try trial.feed.status().origins.first { $0.origin.hasPrefix("https") })
      #expect(
        "\(origin.state) \(origin.lastError ?? "")".contains(imposture.words),
        "\(imposture): \(origin)")
      #expect(try trial.isRight(1), "\(imposture)")
      let shown = try trial.feed.feedfs(
        "feed", "show", trial.gate.url("/feed"), "--cacert", trial.gate.authority)
      #expect(MountedFeed.isRefusal(shown, 75, imposture.words), "\(imposture): \(shown)")
    }

    /// The system does not know the authority of this test.
    @Test func withoutItsAuthorityNothingIsMounted() throws {
      let outcome = try feed.feedfs("mount", feed.mountPoint, "--feed", gate.url("/feed"))
      #expect(MountedFeed.isRefusal(outcome, 75, "certificate is not trusted"), "\(outcome)")
      #expect(try feed.origin.log().isEmpty)
    }

    /// The system has its authorities in a file and in a folder (c_rehash(1)).
    @Test(.enabled(if: NameSpace.isPossible, "no namespace can be made"))
    func anAuthorityThatOnlyTheSystemsFolderHasIsTrusted() throws {
      let script = """
        mkdir "$1" && cp /etc/ssl/certs/ca-certificates.crt "$1"
        cp "$2" "$1/$(openssl x509 -noout -hash -in "$2").0"
        mount --bind "$1" /etc/ssl/certs; shift 2; exec "$@"
        """
      let shown = try ChildProcess.run(
        ["unshare", "--mount", "sh", "-ec", script, "sh", feed.folder + "/certs", gate.authority]
          + feed.command(["feed", "show", gate.url("/feed")]),
        environment: feed.environment, timeout: .seconds(30))
      #expect(shown.status == 0 && shown.out.contains("f1"), "\(shown)")
    }

    @Test func aFileOfAuthoritiesThatIsNoneIsRefused() throws {
      try feed.write("nothing", to: "nothing.pem")
      for path in ["nothing.pem", "missing.pem", "mount"] {
        let outcome = try feed.feedfs(
          "mount", feed.mountPoint, "--feed", gate.url("/feed"), "--cacert",
          feed.folder + "/" + path)
        #expect(MountedFeed.isRefusal(outcome, 66, path), "\(outcome)")
      }
    }

    /// Neither directly, nor after other redirects, nor for the feed itself.
    @Test func noRedirectLeadsFromHTTPSDownToHTTP() throws {
      let plain = feed.origin.url("/pattern/plain.mp4?size=\(Self.size)&seed=9")
      try mount(isPinned: false, options: ["--read-timeout", "3"])
      try feed.origin.fault(.redirect, below: "/pattern/f1", ["to": plain])
      try feed.origin.fault(.redirect, below: "/pattern/f2", ["to": plain, "hops": "3"])
      for number in 1...2 {
        let reader = try ChildProcess(["cat", feed.path(number)])
        #expect(reader.wait(timeout: .seconds(40)) == 1)
        #expect(reader.output.bytes.isEmpty && saidError(reader))
      }
      try feed.origin.fault(.redirect, below: "/feed", ["to": plain])
      let outcome = try feed.feedfs("feed", "refresh", feed.mountPoint)
      #expect(outcome.status == 75 && outcome.err.contains("from https to http"), "\(outcome)")
      #expect(try feed.origin.log(below: "/pattern/plain").isEmpty)
      expectRead(3)
    }

    /// The path tells a request through the gate from a plain one.
    @Test func whatIsForHTTPSIsNotSentByHTTP() throws {
      var plain = PatternFile(name: "plain", size: Self.size, seed: 2)
      plain.url = feed.origin.url(plain.path)
      var safe = PatternFile(name: "safe", size: Self.size, seed: 1)
      safe.url = gate.url(safe.path)
      try feed.serve([safe, plain])
      try feed.write("machine 127.0.0.1 login u password p", to: ".netrc")
      try feed.write(
        """
        cacert = "\(gate.authority)"
        [[feed]]
        url = "\(gate.url("/feed"))"
        headers = { X-Key = "k" }
        """, to: MountedFeed.configuration)
      try feed.mountSubscriptions()
      expectRead(1)
      expectRead(2)
      for request in try feed.origin.log() {
        let isSafe = !request.path.contains("plain")
        #expect((request.headers["x-key"] == "k") == isSafe, "\(request.path)")
        #expect((request.headers["authorization"] != nil) == isSafe, "\(request.path)")
      }
    }

    @Test(arguments: [Gate.Version.tls12, .newest], [["h2", "http/1.1"], ["http/1.1"]])
    func whatBothSidesCanDoIsSpoken(version: Gate.Version, protocols: [String]) throws {
      try gate.serve(.good, version: version, protocols: protocols)
      try mount(isPinned: true)
      for number in 1...3 {
        let truth = Pattern.bytes(0..<Self.size, seed: UInt64(number))
        #expect(try feed.bytes(of: feed.path(number)) == truth)
      }
      let spoken = try Set(gate.log().protocols)
      #expect(spoken == ["\(version == .tls12 ? "TLSv1.2" : "TLSv1.3") \(protocols[0])"])
    }

    /// A read with a short timeout may need a second attempt on a busy machine.
    private func expectRead(_ number: Int) {
      let truth = Pattern.bytes(0..<Self.size, seed: UInt64(number))
      #expect(
        eventually(within: .seconds(40)) { (try? feed.bytes(of: feed.path(number))) == truth })
    }

    private func mount(isPinned: Bool, options: [String] = []) throws {
      guard isPinned else {
        return try feed.mount(
          gate.url("/feed"), options: ["--cacert", gate.authority] + options)
      }
      try feed.write(
        "cacert = \"\(gate.authority)\"\n[pins]\n\"127.0.0.1\" = \"\(gate.pin)\"\n",
        to: MountedFeed.configuration)
      try feed.mount(gate.url("/feed"), options: options)
    }
  }
}
