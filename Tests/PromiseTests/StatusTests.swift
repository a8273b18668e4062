import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// The output of `feedfs status` on pipes and terminals.
  @Suite(.timeLimit(.minutes(4))) struct StatusTests {
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
      try feed.serve([
        PatternFile(name: "a", size: 1 << 20), PatternFile(name: "b", size: 16 << 20),
        PatternFile(name: "c", size: 3 << 20),
      ])
    }

    private var command: [String] {
      get throws { [try BuiltBinary.path("feedfs"), "status", feed.mountPoint] }
    }

    private func terminal(
      _ options: [String] = [], columns: Int = 80, variables: [String: String?] = [:]
    ) throws -> String {
      let environment = feed.environment.merging(variables) { _, new in new }
      let outcome = try Terminal.run(
        command + options, columns: columns, environment: environment)
      #expect(outcome.status == 0, "\(outcome.text)")
      return outcome.text
    }

    // MARK: Output

    @Test func aTerminalGetsColoursABarAndNoLineTooLong() throws {
      try feed.mount()
      _ = try feed.bytes(of: feed.path(1))
      for columns in [50, 80, 200] {
        let text = try terminal(columns: columns)
        #expect(text.contains("\u{1B}[32m") && text.contains("█"), "\(text)")
        let lines = text.split(separator: "\r\n").map(Self.withoutColours)
        #expect(lines.allSatisfy { $0.count <= columns }, "\(lines)")
        #expect(lines.contains { $0.contains("0001.mp4") && $0.contains("complete") })
      }
    }

    /// The film plays for 10 min: a second of it has 100,000 bytes.
    @Test(arguments: DriveKind.all)
    func thePlayingTimeInFrontOfAReaderIsTold(on drive: DriveKind) throws {
      let feed = try drive.drive()
      var items = [WrittenFeed.Item(1), WrittenFeed.Item(2)]
      items[0].more = """
        <itunes:duration xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">600</itunes:duration>
        """
      for place in items.indices { items[place].size = 60_000_000 }
      try WrittenFeed(pages: [items]).serve(by: feed)
      try feed.mount("/written")
      let open = try (1...2).map { try feed.open(feed.path($0)) }
      for file in open {
        for place in 0..<16 { _ = try file.read(place << 17..<(place + 1) << 17) }
      }
      func reader(_ number: Int) throws -> ReaderStatus? {
        try feed.status().files[number - 1].readers?.first
      }
      #expect(try eventually { try reader(1)?.ahead ?? 0 >= 20 * 100_000 })
      try feed.settle()
      defer { withExtendedLifetime(open) {} }
      let known = try #require(try reader(1))
      // The kernel reads a little ahead of the program.
      #expect((16 << 17...18 << 17).contains(known.position))
      #expect(known.seconds == Double(known.ahead / 10_000) / 10)
      #expect(try feed.details(of: feed.path(1)).file.readers == [known])
      // The playing time of the other one is not known.
      #expect(try reader(2).map { $0.ahead > 0 && $0.seconds == nil } == true)
      guard let feed = feed as? MountedFeed else { return }
      let time = "\(Int(known.seconds ?? 0) / 60):"
      for words in [[feed.mountPoint], [feed.path(1)]] {
        let text = try feed.feedfs(["status"] + words).out.split(separator: "\n")
        let line = text.first { $0.contains(" ahead") && !$0.contains("0002.mp4") }
        #expect(line?.contains(time) == true, "\(text)")
      }
    }

    @Test func whoWantsNoColoursGetsNone() throws {
      try feed.mount()
      _ = try feed.bytes(of: feed.path(1))
      #expect(try !terminal(variables: ["NO_COLOR": "1"]).contains("\u{1B}"))
      #expect(try !terminal(variables: ["TERM": "dumb"]).contains("\u{1B}"))
      #expect(try terminal(variables: ["NO_COLOR": ""]).contains("\u{1B}"))
      let plain = try terminal(["--plain"])
      #expect(plain.utf8.allSatisfy { $0 < 0x7F && $0 != 0x1B } && plain.contains("[##"))
      let piped = try feed.feedfs("status", feed.mountPoint)
      #expect(!piped.out.contains("\u{1B}") && piped.out.contains("▕██"), "\(piped.out)")
    }

    @Test func whatIsPrintedAsJSONHasTheShapeThatIsDocumented() throws {
      try feed.origin.network(rate: 200_000)
      try feed.mount(options: ["--read-timeout", "30"])
      let reader = try feed.reader(of: feed.path(2), count: 16 << 20)
      #expect(
        try eventually {
          try feed.status().files[1].speed != nil && feed.status().files[1].open > 0
        })
      let shape = try DocumentedShape("MountStatus")
      let status = try AnyJSON(feed.feedfs("status", feed.mountPoint, "--json").out)
      #expect(shape.faults(of: status) == [])

      let file = try DocumentedShape("FileDetails").including(shape, "files[]", as: "file")
      let isTold = try eventually {
        let outcome = try feed.feedfs("status", feed.path(2), "--json")
        #expect(file.faults(of: try AnyJSON(outcome.out)) == [])
        let details = try Wire.decode(FileDetails.self, from: Array(outcome.out.utf8))
        #expect(details.file.name == "0002.mp4")
        #expect(
          details.processes?.contains { $0.pid == Int(reader.pid) && $0.program == "dd" } == true)
        return details.file.fetches?.isEmpty == false
      }
      #expect(isTold)
    }

    @Test func theDocumentedShapeIsHeldAgainstWhatDiffersFromIt() throws {
      let shape = try DocumentedShape("RefreshOutcome")
      #expect(shape.faults(of: try AnyJSON(#"{"schema":1,"refreshed":2,"errors":["a"]}"#)) == [])
      #expect(
        shape.faults(of: try AnyJSON(#"{"refreshed":"2","errors":[1],"more":null}"#)) == [
          "errors[] is number", "more is not documented", "refreshed is text", "schema is missing",
        ])
    }

    // MARK: Contents

    @Test func aFileIsToldOfWithThoseWhoHaveItOpen() throws {
      try feed.mount()
      let holder = try ChildProcess(
        ["sh", "-c", "exec 5<\(feed.path(1)); echo; exec sleep 60"])
      #expect(holder.output.wait(timeout: .seconds(10)) { $0 == "\n" })
      #expect(eventually { contents(of: "/proc/\(holder.pid)/comm") == "sleep\n" })
      for place in [feed.path(1), feed.mountPoint + "/by-title/2026-05-01 a.mp4"] {
        let text = try feed.feedfs("status", place).out
        #expect(text.contains("open in sleep (\(holder.pid))"), "\(text)")
        #expect(text.contains("version") && text.contains("by title"))
      }
      #expect(try feed.status().files.map(\.open) == [1, 0, 0])
      let text = try feed.feedfs("status", feed.path(3)).out
      #expect(text.contains("not open in any process that you can see"))
    }

    @Test func whoWaitsIsToldWhatForAndUntilWhen() throws {
      try feed.origin.fault(.status, below: "/pattern/", ["code": "503", "retry_after": "40"])
      try feed.mount()
      let reader = try feed.reader(of: feed.path(1))
      #expect(try eventually { try feed.status().files[0].reason == "status 503" })
      let file = try feed.status().files[0]
      let host = "127.0.0.1:\(feed.origin.port)"
      #expect(file.state == .waiting && file.host == host && file.waiting == 1)
      #expect((1...40).contains(file.retryIn ?? 0))
      let text = try feed.feedfs("status", feed.mountPoint).out
      #expect(text.contains("waiting for \(host): status 503, again in "), "\(text)")
      reader.killGroup()
    }

    @Test func whatIsOfNoInterestIsCountedOnly() throws {
      try feed.mount()
      // Reads no more than the first fetch brings, or the next files are preloaded.
      #expect(try feed.reader(of: feed.path(1), count: 4096).wait(timeout: .seconds(20)) == 0)
      try feed.settle()
      let text = try feed.feedfs("status", feed.mountPoint).out
      #expect(text.contains("0001.mp4") && !text.contains("0003.mp4"), "\(text)")
      #expect(text.contains("--all lists them"))
      let all = try feed.feedfs("status", feed.mountPoint, "--all").out
      #expect(all.contains("0003.mp4") && all.contains("empty"), "\(all)")
    }

    @Test func tenThousandFilesAreToldOfInAFewLinesAndAtOnce() throws {
      try feed.mount("/synthetic.xml?entries=10000&size=1048576")
      _ = try feed.bytes(of: feed.path(5))
      // The machine may be busy with something else: a slow first attempt is repeated.
      var figure = Duration.seconds(60)
      for _ in 0..<3 where figure >= .seconds(2) {
        let (text, time) = try measured("status of 10,000 files") {
          try feed.feedfs("status", feed.mountPoint).out
        }
        figure = min(figure, time)
        #expect(text.contains("0005.mp4") && text.split(separator: "\n").count < 20, "\(text)")
        #expect(text.contains("others; --all lists them"))
      }
      #expect(figure < .seconds(2).here)
    }

    // MARK: Repeated output

    @Test func aPipeIsToldALineEachSecondUntilTheMountIsGone() throws {
      try feed.mount()
      let watch = try ChildProcess(command + ["--watch"], environment: feed.environment)
      #expect(watch.output.wait(timeout: .seconds(20)) { $0.count { $0 == "\n" } >= 3 })
      try feed.unmount()
      #expect(watch.wait(timeout: .seconds(10)) == 0)
      #expect(watch.errors.text.isEmpty)
      for line in watch.output.text.split(separator: "\n") {
        #expect(try Wire.decode(MountStatus.self, from: Array(line.utf8)).files.count == 3)
      }
    }

    @Test func itEndsQuietlyWhenNobodyListensAnyMore() throws {
      try feed.mount()
      let program = try command.joined(separator: " ")
      let outcome = try ChildProcess.run(
        ["bash", "-c", "\(program) --watch | head -n 1; echo ${PIPESTATUS[0]}"],
        environment: feed.environment)
      let lines = outcome.out.split(separator: "\n")
      #expect(lines.count == 2 && lines.last == "0", "\(outcome)")
      #expect(outcome.err.isEmpty)
    }

    @Test func aScreenIsDrawnAnewAndLeftInOrder() throws {
      try feed.mount()
      let terminal = try Terminal(command + ["--watch"], environment: feed.environment)
      #expect(
        terminal.child.output.wait(timeout: .seconds(20)) {
          $0.split(separator: "\u{1B}[H", omittingEmptySubsequences: false).count >= 4
        })
      try terminal.child.write("\u{3}")
      #expect(terminal.child.wait(timeout: .seconds(10)) == 0)
      let text = terminal.child.output.text
      #expect(text.hasPrefix("\u{1B}[?1049h\u{1B}[?25l"))
      #expect(text.hasSuffix("\u{1B}[?25h\u{1B}[?1049l"), "\(text.suffix(40))")
      #expect(text.contains("3 files"))
    }

    @Test func aScreenThatChangesItsSizeIsFilledAnew() throws {
      try feed.mount()
      let terminal = try Terminal(
        command + ["--watch", "--all"], columns: 60, environment: feed.environment)
      #expect(terminal.child.output.wait(timeout: .seconds(20)) { $0.contains("0003.mp4") })
      terminal.widen()
      // The bar is as wide as the terminal allows.
      let bar = String(repeating: " ", count: 20) + "\u{1B}[m"
      #expect(terminal.child.output.wait(timeout: .seconds(20)) { $0.contains(bar) })
      try terminal.child.write("\u{3}")
      #expect(terminal.child.wait(timeout: .seconds(10)) == 0)
    }

    @Test func whoStopsItHasHisScreenBackUntilItGoesOn() throws {
      try feed.mount()
      let terminal = try Terminal(command + ["--watch"], environment: feed.environment)
      #expect(terminal.child.output.wait(timeout: .seconds(20)) { $0.contains("\u{1B}[H") })
      try terminal.child.write("\u{1A}")
      let isStopped = { (text: String) in text.hasSuffix("\u{1B}[?25h\u{1B}[?1049l") }
      #expect(terminal.child.output.wait(timeout: .seconds(20), until: isStopped))
      terminal.goOn()
      #expect(
        terminal.child.output.wait(timeout: .seconds(20)) {
          $0.split(separator: "\u{1B}[?1049h", omittingEmptySubsequences: false).count == 3
        })
      try terminal.child.write("\u{3}")
      #expect(terminal.child.wait(timeout: .seconds(10)) == 0)
    }

    private static func withoutColours(_ line: Substring) -> String {
      line.split(separator: "\u{1B}[", omittingEmptySubsequences: false).enumerated()
        .map { $0 == 0 ? $1 : $1.drop { $0 != "m" }.dropFirst() }.joined()
    }
  }
}
