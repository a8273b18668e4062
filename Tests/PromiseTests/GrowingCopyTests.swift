import Glibc
import Host
import TestSupport
import Testing

extension Promises {
  /// A copy of a body without length is whole or an error, whichever program makes it, and whenever.
  @Suite(.serialized, .timeLimit(.minutes(5))) struct GrowingCopyTests {
    private static let size = 1_500_003

    /// The moment at which the copy begins, or what happens to the body.
    enum Moment: String, CaseIterable, Sendable {
      case beginning, middle, besideAReader, cut

      /// Prepares the film `$1` before the copy, in a shell.
      var before: String {
        switch self {
        case .beginning, .cut: ":"
        case .middle: "head -c 700000 \"$1\" >/dev/null"
        case .besideAReader: "exec 9<\"$1\"; head -c 1000 <&9 >/dev/null"
        }
      }
    }

    @Test(arguments: Moment.allCases)
    func eachCopyIsWholeOrAnError(from moment: Moment) throws {
      let feed = try MountedFeed()
      let copiers = GrowingCopier.allCases.filter(\.isInstalled)
      let missing = Set(GrowingCopier.allCases).subtracting(copiers).map(\.rawValue).sorted()
      if !missing.isEmpty { print("not installed: \(missing.joined(separator: ", "))") }
      let films = copiers.map { PatternFile(name: "a\($0)", size: Self.size, claim: Claim.none) }
      try feed.serve(films)
      let isCut = moment == .cut
      try feed.origin.fault(
        isCut ? .status200cut : .status200chunked, below: "/pattern/a",
        after: isCut ? 700_000 : nil)
      // A read of 64 KiB takes some of the time of the whole.
      try feed.origin.network(rate: 2 << 20)
      try feed.mount(options: ["--read-timeout", "5"])

      for batch in stride(from: 0, to: copiers.count, by: 8) {
        let places = batch..<min(batch + 8, copiers.count)
        let jobs = places.map { place in
          """
          (
            set -- '\(feed.path(place + 1))' '\(feed.folder)/copy\(place)'
            \(moment.before)
            ( \(copiers[place].command) ) >/dev/null 2>&1
            status=$?
            echo "\(place) $status $(sha256sum <"$2" | cut -c1-64)"
          ) &
          """
        }
        let script = (jobs + ["wait"]).joined(separator: "\n")
        let outcome = try ChildProcess.run(["bash", "-c", script], timeout: .seconds(60))
        let lines = outcome.out.split(separator: "\n").map { $0.split(separator: " ") }
        #expect(lines.count == places.count, "\(outcome)")
        for words in lines {
          let place = try #require(words.first.flatMap { Int($0) })
          let copier = copiers[place]
          let isWhole = words.last.map(String.init) == (try feed.truth(of: films[place]))
          let hasFailed = words[1] != "0"
          #expect(isWhole || hasFailed, "\(copier) is cut short, with exit code 0")
          #expect(isWhole == !isCut && hasFailed == (isCut || copier == .mv), "\(copier)")
        }
      }
    }

    /// Those that are not copy as one that is, or are not to be had on every system.
    @Test func eachProgramThatGoesBySizeIsTried() {
      let words = GrowingCopier.allCases.flatMap {
        $0.command.split(separator: " ").map(String.init)
      }
      let known = ProgramKind.allCases.filter(\.goesBySize).reduce(into: []) { $0 += $1.names }
      #expect(
        Set(known).subtracting(words) == [
          "7za", "7zr", "7zz", "MainThread", "ar", "bsdcpio", "bun", "cksum", "deno", "genisoimage",
          "libuv-worker", "mkisofs", "node-MainThread", "pax", "scp", "xorriso",
        ])
    }

    /// Such a program ends a minute after the last byte at the latest, and can be killed before.
    @Test(arguments: [false, true])
    func whoWaitsForTheLengthIsEndedByItsTimeoutOrByASignal(isKilled: Bool) throws {
      let feed = try MountedFeed()
      try feed.serve([PatternFile(name: "a", size: Self.size)])
      try feed.origin.fault(.status200cut, below: "/pattern/a", times: 1, after: 700_000)
      try feed.origin.fault(.stall, below: "/pattern/a")
      try feed.mount(options: ["--read-timeout", isKilled ? "60" : "5"])
      let script = """
        import os, sys
        file = os.open(sys.argv[1], os.O_RDONLY)
        with open(sys.argv[2], 'wb', 0) as out:
            while os.sendfile(out.fileno(), file, None, 1 << 20): pass
        """
      let words = ["python3", "-c", script, feed.path(1), feed.folder + "/copy"]
      let time = ContinuousClock.now
      let outcome = try ChildProcess.run(
        isKilled ? ["timeout", "-s", "KILL", "3"] + words : words, timeout: .seconds(50))
      #expect(outcome.status != 0)
      #expect(ContinuousClock.now - time < .seconds(40))
      #expect(try feed.isServed)
    }

    /// The kernel has the size of a sidecar before its open is answered, whatever size was told before.
    @Test(arguments: [61_298, 16_384, 5000, 0])
    func aSidecarThatNobodyHasOpenedIsCopiedWhole(size: Int) throws {
      let feed = try MountedFeed()
      let text = String(repeating: "WEBVTT\n", count: size / 7 + 1).prefix(size)
      try feed.origin.put(String(text), at: "/en.vtt", type: "text/vtt")
      let track =
        "<podcast:transcript url=\"\(feed.origin.url("/en.vtt"))\" type=\"text/vtt\" language=\"en\"/>"
      try WrittenFeed(pages: [[WrittenFeed.Item(1, more: track)]]).serve(by: feed)
      try feed.mount("/written", options: ["--sizes", "open"])
      let path = feed.mountPoint + "/0001.en.vtt"
      #expect(try feed.look(at: path).size == 16_384)
      let script = """
        import os, sys
        file = os.open(sys.argv[1], os.O_RDONLY)
        while os.sendfile(1, file, None, 1 << 20): pass
        """
      let outcome = try ChildProcess.run(["python3", "-c", script, path])
      #expect(
        outcome.status == 0 && outcome.out == text, "\(outcome.out.utf8.count), \(outcome.err)")
      #expect(try feed.look(at: path).size == size)
    }
  }
}
