import Glibc
import TestSupport
import Testing

extension Promises {
  /// A hostile document is read or refused within limits that the kernel enforces.
  @Suite(.timeLimit(.minutes(3))) struct HostileDocumentTests {
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
    }

    /// Seconds of the processor, and KiB of memory with the stacks of all threads. A build that is
    /// not optimized takes more than twice as long.
    private static let limits =
      "ulimit -t \(BuiltBinary.isOptimized ? 1 : 3); ulimit -d 65536; exec \"$@\""

    /// Runs `feed show`, three times at most. Other load counts as processor time on a virtual
    /// machine, so an attempt that met the limits is repeated.
    private func show(_ place: String) throws -> (status: Int32, out: String, err: String) {
      var shown = (status: Int32(0), out: "", err: "")
      for _ in 0..<3 {
        shown = try ChildProcess.run(
          ["bash", "-c", Self.limits, "bash", BuiltBinary.path("feedfs")]
            + ["feed", "show", "--json", "--all", place],
          environment: feed.environment, timeout: .seconds(20))
        if shown.status == 0 || shown.status == 66 { break }
      }
      return shown
    }

    private func show(document: String) throws -> (status: Int32, out: String, err: String) {
      let file = feed.folder + "/document.xml"
      try write(document, to: file)
      return try show(file)
    }

    private func write(_ text: String, to file: String) throws {
      let bytes = Array(text.utf8)
      let number = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
      guard number >= 0 else { throw TestToolError("\(file) cannot be written") }
      defer { close(number) }
      guard Glibc.write(number, bytes, bytes.count) == bytes.count else {
        throw TestToolError("\(file) was not written whole")
      }
    }

    private static func rss(
      _ declarations: String = "", title: String = "", item: String = ""
    ) -> String {
      """
      <!DOCTYPE rss [\(declarations)]>
      <rss><channel><title>\(title)</title><item><guid>a</guid>\(item)</item></channel></rss>
      """
    }

    private static let bombs = [
      "laughs": rss(laughs, title: "&l9;"),
      "one entity, many times":
        rss(
          "<!ENTITY e \"\(String(repeating: "e", count: 50_000))\">",
          title: String(repeating: "&e;", count: 50_000)),
      "depth": rss(item: String(repeating: "<a>", count: 50_000)),
      "attributes":
        rss(item: "<a " + (0..<20_000).map { "a\($0)=''" }.joined(separator: " ") + "/>"),
      "prefixes": rss(item: String(repeating: "<a:b xmlns:a='x'/>", count: 20_000)),
      "comments without end": rss(item: String(repeating: "<!--", count: 100_000)),
      "tags without end": rss(item: String(repeating: "<a b='", count: 50_000)),
      "a long date":
        rss(item: "<pubDate>\(String(repeating: "1 Jan ", count: 100_000))</pubDate>"),
    ]

    private static let laughs =
      "<!ENTITY l0 'ha'>"
      + (1...9).map { level in
        "<!ENTITY l\(level) '\(String(repeating: "&l\(level - 1);", count: 10))'>"
      }.joined()

    @Test(arguments: bombs.keys.sorted())
    func aBombTakesLessThanASecondAndSixtyFourMegabytes(name: String) throws {
      let shown = try show(document: try #require(Self.bombs[name]))
      #expect(shown.status == 0 && shown.out.contains("\"id\" : \"a\""), "\(shown.err)")
    }

    @Test(arguments: ["<!ENTITY x SYSTEM 'PLACE'>", "<!ENTITY % x SYSTEM 'PLACE'> %x;"])
    func noFileIsReadAndNothingIsAskedFor(declaration: String) throws {
      // An open of the pipe waits for a writer that never comes.
      let trap = feed.folder + "/trap"
      try #require(mkfifo(trap, 0o600) == 0)
      for place in ["file://" + trap, trap, "trap", feed.origin.url("/trap")] {
        let shown = try show(
          document: Self.rss(declaration.replacing("PLACE", with: place), title: "&x;")
            .replacing("<!DOCTYPE rss", with: "<!DOCTYPE rss SYSTEM '\(place)'"))
        #expect(shown.status == 0 && shown.out.contains("\"id\" : \"a\""), "\(shown.err)")
      }
      #expect(try feed.origin.log(below: "/trap").isEmpty)
    }

    @Test func eachCollectedDocumentIsReadWithinTheLimits() throws {
      for file in Self.collected {
        let shown = try show(file)
        #expect(shown.status == 0 || shown.status == 66, "\(file): \(shown.status) \(shown.err)")
      }
    }

    /// The collected documents beside one of the folders above this file; empty if there are none.
    private static let collected: [String] = {
      var folder = #filePath[...]
      while let slash = folder.lastIndex(of: "/") {
        folder = folder[..<slash]
        let names = (try? ChildProcess.run(["ls", folder + "/shared/feeds/hostile"]).out) ?? ""
        let files = names.split(separator: "\n").filter { $0.hasSuffix(".xml") }
        if !files.isEmpty { return files.map { "\(folder)/shared/feeds/hostile/\($0)" } }
      }
      return []
    }()
  }
}
