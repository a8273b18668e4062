import Glibc
import TestSupport
import Testing

extension Promises {
  /// The SHA-256 of a file is that of the origin's: while the file is filled, after its pages are
  /// dropped, and from a mount without a network.
  @Suite(.timeLimit(.minutes(3)), .enabled(if: canMount)) struct FillDigestTests {
    /// The number of connections that bring a file.
    enum Line: CaseIterable {
      case lane, lanes

      /// Bytes a second of one connection, slow enough that the second reader meets the front.
      var rate: Int { self == .lane ? 100_000_000 : 8_000_000 }
    }

    private static let block = 64 << 10
    /// Sizes around a border of blocks, among them those of the first fetch and of a long file.
    private static let sizes = [1, 8, 16, 160].flatMap { count in
      (-1...1).map { count * block + $0 }
    }
    /// Their lengths in the feed are what the running test claims.
    private static var files: [PatternFile] {
      [PatternFile(name: "byte", size: 1)]
        + sizes.map { PatternFile(name: "s\($0)", size: $0, seed: UInt64($0)) }
    }

    @Test(.whateverLengthTheFeedClaims, arguments: Line.allCases)
    func theDigestIsRightWhileFillingAndAfterwards(_ line: Line) throws {
      let feed = try MountedFeed()
      try feed.serve(Self.files)
      let truths = try Self.files.map { try feed.truth(of: $0) }
      try feed.origin.network(latency: .milliseconds(10), rate: line.rate)
      try feed.mount(options: ["--min-free", "0"])
      for (index, truth) in truths.enumerated() { try readTwice(index + 1, truth, of: feed) }
      let most = try feed.origin.statistics().maxActive
      #expect(line == .lane || most > 2, "only \(most) connections at once")

      try expect(truths, of: feed, "after the pages were dropped")
      try feed.unmount()
      feed.origin.stop()
      try feed.mount(options: ["--min-free", "0", "--no-passthrough"])
      try expect(truths, of: feed, "from the daemon without a network")
      try feed.unmount()
      try feed.mount(options: ["--min-free", "0"])
      try expect(truths, of: feed, "without a network")
    }

    /// Reads a new file twice. The second reader begins behind the first, and meets it.
    private func readTwice(_ number: Int, _ truth: String, of feed: MountedFeed) throws {
      let first = try ChildProcess(["sha256sum", feed.path(number)])
      let file = Self.files[number - 1]
      let prefix = "/pattern/\(file.name).mp4"
      try feed.origin.wait(bytes: file.size / 4, below: prefix)
      let second = try ChildProcess(["sha256sum", feed.path(number)])
      for reader in [first, second] {
        #expect(reader.wait(timeout: .seconds(30)) == 0, "\(reader.errors.text)")
        #expect(reader.output.text.hasPrefix(truth), "\(file.name), while it is filled")
      }
    }

    /// Drops all pages, those of the mount's files and those of the cache's, and reads again.
    private func expect(_ truths: [String], of feed: MountedFeed, _ moment: String) throws {
      _ = try ChildProcess.run(["sync", "-f", feed.cacheDirectory])
      let found = try ChildProcess.run(["find", feed.cacheDirectory, "-type", "f"]).out
      for path in found.split(separator: "\n").map(String.init) { Self.dropPages(of: path) }
      for (index, truth) in truths.enumerated() {
        Self.dropPages(of: feed.path(index + 1))
        let digest = try feed.digest(of: feed.path(index + 1))
        #expect(digest == truth, "\(Self.files[index].name), \(moment)")
      }
    }

    private static func dropPages(of path: String) {
      let file = open(path, O_RDONLY | O_CLOEXEC)
      posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
      close(file)
    }
  }
}
