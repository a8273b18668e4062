import Glibc
import TestSupport
import Testing

extension Promises {
  /// Hostile answers cost neither unbounded memory nor unbounded time.
  @Suite(.timeLimit(.minutes(2))) struct BombTests {
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
      try feed.serve([PatternFile(name: "a", size: 1 << 20)])
    }

    /// 300 MiB of spaces, packed once or twice; a feed may have 64 MiB.
    @Test(arguments: [1, 2]) func anAnswerThatUnpacksWithoutEndIsGivenUp(layers: Int) throws {
      let packed = feed.folder + "/packed.gz"
      let again = layers == 2 ? "| gzip -9" : ""
      let made = try ChildProcess.run(
        ["bash", "-c", "head -c 300M /dev/zero | tr '\\0' ' ' | gzip -1 \(again) >\(packed)"],
        timeout: .seconds(60))
      #expect(made.status == 0)
      let coding = Array(repeating: "gzip", count: layers).joined(separator: ", ")
      let put = try ChildProcess.run([
        "curl", "-sf", "-T", packed, "-H", "Content-Type: application/rss+xml", "-H",
        "X-Set-Content-Encoding: \(coding)", feed.origin.url("/__put/bomb"),
      ])
      #expect(put.status == 0, "\(put)")
      // In KiB: twice the limit of a feed, plus the program.
      let limited = "ulimit -d 262144; ulimit -t 60; exec \"$@\""
      let outcome = try ChildProcess.run(
        ["bash", "-c", limited, "bash", BuiltBinary.path("feedfs"), "feed", "show"]
          + [feed.origin.url("/bomb")], environment: feed.environment, timeout: .seconds(50))
      #expect(MountedFeed.isRefusal(outcome, 75, "longer than 64 MiB"), "\(outcome)")
    }

    /// 8 MiB of header fields, for the feed and for each range of a film.
    @Test func aFloodOfHeaderFieldsIsCutShort() throws {
      try feed.mount(options: ["--read-timeout", "3"])
      let before = try feed.peakMemory()
      for path in ["/feed", "/pattern/"] {
        try feed.origin.fault(.bigheaders, below: path, ["value": "\(8 << 20)"])
      }
      let outcome = try feed.feedfs("feed", "refresh", feed.mountPoint)
      #expect(outcome.status == 75 && outcome.err.contains("its head is too large"), "\(outcome)")
      let reader = try ChildProcess(["cat", feed.path(1)])
      #expect(reader.wait(timeout: .seconds(40)) == 1)
      #expect(reader.output.bytes.isEmpty && saidError(reader))
      #expect(try feed.peakMemory() - before < 16 << 20)

      try feed.origin.clear()
      #expect(
        eventually(within: .seconds(30)) { (try? feed.bytes(of: feed.path(1)).count) == 1 << 20 })
    }
  }
}
