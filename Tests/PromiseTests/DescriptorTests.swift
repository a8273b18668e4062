import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// A daemon with a low limit of open files, whose readers hold many.
  @Suite(.timeLimit(.minutes(8)), .enabled(if: canMount && isInstalled("python3")))
  struct DescriptorTests {
    private static let size = 150_000
    private static let first = 0..<70_000
    private static let rest = 70_000..<size
    private static let least = Figure.descriptors.count

    private let feed: MountedFeed
    private let files: [PatternFile]

    init() throws {
      Self.raiseOwnLimit()
      files = (0..<(Scale.isFull ? 2000 : 300)).map {
        PatternFile(name: "film\($0)", size: Self.size, seed: UInt64($0 + 1))
      }
      feed = try MountedFeed()
      try feed.serve(files)
    }

    @Test(arguments: Scale.isFull ? [least, 64, 256, 1024] : [least, 256])
    func manyHeldFilesAreRightAndSoIsEverythingAfterwards(_ limit: Int) throws {
      try feed.mount(by: Self.limited(limit, limit))
      let before = try descriptors()
      var held: [MountedFile] = []
      for number in files.indices {
        let opened = try MountedFile(feed.path(number + 1))
        try check(Self.first, of: opened, number)
        held.append(opened)
      }
      #expect(try descriptors() <= limit)
      // Reads entries that are not cached yet and some that are, in the first files as in the last.
      for number in stride(from: 0, to: files.count, by: 17) {
        try check(Self.rest, of: held[number], number)
        _ = try held[number].with { posix_fadvise($0, 0, 0, POSIX_FADV_DONTNEED) }
        try check(Self.first, of: held[number], number)
      }
      #expect(try feed.status().files.count == files.count)
      held = []

      #expect(eventually { (try? descriptors()).map { $0 <= before + 4 } ?? false })
      for number in files.indices {
        let opened = try MountedFile(feed.path(number + 1))
        try check(0..<Self.size, of: opened, number)
      }
      // All bytes are cached, and serve a mount with a higher limit.
      try feed.unmount()
      let requests = try feed.mediaRequests().count
      try feed.mount()
      for number in stride(from: 0, to: files.count, by: 7) {
        try check(0..<Self.size, of: MountedFile(feed.path(number + 1)), number)
      }
      #expect(try feed.mediaRequests().count == requests)
      try feed.unmount()
    }

    @Test func aLimitThatIsTooLowIsSaid() throws {
      let outcome = try ChildProcess.run(
        Self.limited(20, 20)
          + feed.command(["mount", feed.mountPoint, "--feed", feed.origin.url("/feed")]),
        environment: feed.environment, timeout: .seconds(30))
      #expect(outcome.status == 69)
      #expect(outcome.err.contains("a process may have 20 files open here, and a mount needs 32"))
    }

    @Test func theSoftLimitIsRaisedToTheHardOne() throws {
      try feed.mount(by: Self.limited(64, 300))
      let limits = contents(of: "/proc/\(try feed.process.pid)/limits").split(separator: "\n")
        .first { $0.hasPrefix("Max open files") }
      #expect(limits?.split(separator: " ").dropFirst(3).prefix(2) == ["300", "300"])
    }

    /// The command prefix that sets these limits, and closes the descriptors inherited from the
    /// test.
    private static func limited(_ soft: Int, _ hard: Int) -> [String] {
      let script = """
        import os, resource, sys
        os.closerange(3, 65536)
        resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]), int(sys.argv[2])))
        os.execvp(sys.argv[3], sys.argv[3:])
        """
      return ["python3", "-c", script, "\(soft)", "\(hard)"]
    }

    private func descriptors() throws -> Int {
      try ChildProcess.run(["ls", "/proc/\(feed.process.pid)/fd"]).out.split(separator: "\n").count
    }

    private func check(_ range: Range<Int>, of opened: MountedFile, _ number: Int) throws {
      guard try opened.read(range) == Pattern.bytes(range, seed: files[number].seed) else {
        throw TestToolError("wrong bytes in \(range) of \(number)")
      }
    }

    /// Raises the test's own limit, since the tests hold the files open, too.
    private static func raiseOwnLimit() {
      var limit = rlimit()
      guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
      limit.rlim_cur = min(limit.rlim_max, 1 << 16)
      _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
  }
}
