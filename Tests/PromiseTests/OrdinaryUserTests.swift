import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// The central promises, for a user without privilege who mounts and reads.
  @Suite(
    .timeLimit(.minutes(3)),
    .unless(OrdinaryUser.obstacle))
  struct OrdinaryUserTests {
    private static let size = 16 << 20

    @Test func whatIsReadIsTheOriginsAndComesFromTheCacheAfterwards() throws {
      let feed = try MountedFeed(by: OrdinaryUser())
      let file = PatternFile(name: "a", size: Self.size)
      try feed.serve([file])
      try feed.mount()
      let truth = try feed.truth(of: file)
      #expect(try feed.digest(of: feed.path(1)) == truth)
      #expect(try feed.status().passthrough == false)
      try feed.unmount()

      feed.origin.stop()
      try feed.mount()
      #expect(
        try feed.names().sorted() == ["0001.mp4", "by-title", "new", "playlist.m3u8", "started"])
      #expect(try feed.digest(of: feed.path(1)) == truth)
      // Unmounts like a user who never heard of feedfs.
      let left = try ChildProcess.run(feed.asUser(["fusermount3", "-u", feed.mountPoint]))
      #expect(left.status == 0, "\(left.err)")
      #expect(try feed.process.wait(timeout: .seconds(10)) == 0)
    }

    @Test func randomReadsAgreeWithTheTruth() throws {
      let feed = try MountedFeed(by: OrdinaryUser())
      let file = PatternFile(name: "a", size: Self.size)
      try feed.serve([file])
      try feed.mount()
      let truth = feed.folder + "/truth"
      try feed.keep(file, at: truth)
      var reads = RandomReads(seed: 5, size: Self.size)
      let comparisons = (0..<100).map { _ in
        let range: Range<Int> = reads.next()
        return "cmp -i \(range.lowerBound) -n \(range.count) \"$1\" \"$2\""
      }
      let script = (["set -e"] + comparisons).joined(separator: "\n")
      let outcome = try ChildProcess.run(
        feed.asUser(["sh", "-c", script, "sh", feed.path(1), truth]))
      #expect(outcome.status == 0, "\(outcome.out)\(outcome.err)")
    }

    @Test func aKillCostsNothingThatWasRead() throws {
      let feed = try MountedFeed(by: OrdinaryUser())
      let file = PatternFile(name: "a", size: Self.size)
      try feed.serve([file])
      let truth = try feed.truth(of: file)
      try feed.mount()
      let head = try ChildProcess.run(
        feed.asUser(["dd", "if=\(feed.path(1))", "of=/dev/null", "bs=1M", "count=6"]))
      #expect(head.status == 0)
      try feed.kill()
      try feed.settle()
      try feed.origin.reset()
      try feed.mount()
      #expect(try feed.digest(of: feed.path(1)) == truth)
      try feed.settle()
      // The next reader compares the last bytes of an answer whose end was not seen.
      let compared = try 4096 * feed.mediaRequests().count
      #expect(try feed.mediaBytes() <= Self.size - 6 << 20 + compared)
    }

    @Test(arguments: [SIGKILL, SIGINT])
    func aReaderThatWaitsCanBeKilled(signal: Int32) throws {
      let feed = try MountedFeed(by: OrdinaryUser())
      let reader = try feed.stalledReader()
      reader.signal(signal)
      #expect(reader.wait(timeout: .seconds(10)) == 128 + signal)
      #expect(try feed.names().contains("0001.mp4"))
    }

    @Test(
      .enabled(if: access("/etc/fuse.conf", F_OK) == 0, "there is no /etc/fuse.conf to cover"),
      arguments: [["-o", "allow_other"], ["--allow-other"]])
    func otherUsersAreLetInWhereRootAllowsIt(options: [String]) throws {
      let user = try OrdinaryUser()
      let feed = try MountedFeed(by: user)
      let file = PatternFile(name: "a", size: 1 << 20)
      try feed.serve([file])
      chmod(feed.folder, 0o755)
      let look = user.runByAnother(["md5sum", feed.path(1)])

      try user.configureFUSE("# user_allow_other\nmount_max = 1000\n")
      let refused = try feed.feedfs(
        ["mount", feed.mountPoint, "--feed", feed.origin.url("/feed")] + options)
      #expect(MountedFeed.isRefusal(refused, 77, "user_allow_other in /etc/fuse.conf"))
      try feed.mount()
      #expect(try ChildProcess.run(look).err.contains("Permission denied"))
      try feed.unmount()

      try user.configureFUSE("mount_max = 1000\nuser_allow_other\n")
      try feed.mount(options: options)
      let outcome = try ChildProcess.run(look)
      #expect(outcome.status == 0, "\(outcome.err)")
      #expect(try outcome.out == ChildProcess.run(feed.asUser(["md5sum", feed.path(1)])).out)
    }

    @Test func theDaemonEndsAtOnceThoughReadersWait() throws {
      let feed = try MountedFeed(by: OrdinaryUser())
      let reader = try feed.stalledReader()
      let daemon = try feed.process
      daemon.terminate()
      #expect(daemon.wait(timeout: .seconds(10)) == 0)
      #expect(reader.wait(timeout: .seconds(10)) == 1)
      let mounts = try ChildProcess.run(feed.asUser(["cat", "/proc/self/mounts"])).out
      #expect(!mounts.contains(feed.mountPoint))
    }
  }
}

extension MountedFeed {
  /// Saves the origin's bytes of `file` at `path`.
  fileprivate func keep(_ file: PatternFile, at path: String) throws {
    let outcome = try ChildProcess.run(["curl", "-sf", "-o", path, origin.url(file.path)])
    guard outcome.status == 0 else { throw TestToolError("curl: \(outcome.err)") }
    chmod(path, 0o644)
  }

  /// A reader that waits for bytes that never come.
  fileprivate func stalledReader() throws -> ChildProcess {
    try serve([PatternFile(name: "a", size: 8 << 20)])
    try origin.fault(.stall, below: "/pattern/", after: 300_000)
    try mount()
    let reader = try ChildProcess(asUser(["cat", path(1)]))
    // Waits until the bytes before the stall have reached the reader.
    guard eventually({ reader.output.bytes.count > 60_000 }) else {
      throw TestToolError("nothing was read: \(reader.errors.text)")
    }
    return reader
  }
}
