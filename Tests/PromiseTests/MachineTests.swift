import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// Mounts that machines make, many at once, and mounts that lose a directory they rely on.
  @Suite(.timeLimit(.minutes(3)), .enabled(if: canMount)) struct MachineTests {
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
      try feed.serve([PatternFile(name: "a", size: 300_000)])
    }

    private func mount(_ number: Int) throws -> ChildProcess {
      var environment = feed.environment
      environment["XDG_STATE_HOME"] = feed.folder + "/state-\(number)"
      return try ChildProcess(
        [
          BuiltBinary.path("feedfs"), "mount", feed.mountPoint, "--feed", feed.origin.url("/feed"),
          "--cache-dir", feed.folder + "/cache-\(number)",
        ], environment: environment)
    }

    @Test func ofEightMountsOnOnePlaceOneIsMade() throws {
      defer { _ = try? feed.feedfs("unmount", "--force", feed.mountPoint) }
      let all = try (0..<8).map(mount)
      let codes = all.map { $0.wait(timeout: .seconds(40)) }
      #expect(codes.count { $0 == 0 } == 1 && codes.count { $0 == 75 } == 7, "\(codes)")
      let table = try ChildProcess.run(["cat", "/proc/self/mountinfo"]).out
      #expect(table.split(separator: "\n").count { $0.contains(" \(feed.mountPoint) ") } == 1)
      #expect(try feed.feedfs("unmount", feed.mountPoint).status == 0)
      #expect(!feed.isMounted)
    }

    @Test func theSocketIsMadeAnewWhenItsDirectoryWasRemoved() throws {
      try feed.mount()
      for folder in ["/run/feedfs", "/run"] {
        _ = try ChildProcess.run(["rm", "-rf", feed.folder + folder])
        let outcome = try feed.feedfs("pause", feed.mountPoint)
        #expect(outcome.status == 0, "\(folder): \(outcome)")
        #expect(try feed.feedfs("resume", feed.mountPoint).status == 0)
      }
      let facts = try ChildProcess.run(["stat", "-c", "%a %F", feed.folder + "/run/feedfs"])
      #expect(facts.out == "700 directory\n")
      try feed.unmount()
    }

    @Test(.enabled(if: geteuid() == 0, "only root may bind"))
    func aMountThatIsBoundElsewhereIsFoundByItsOldPlace() throws {
      try feed.mount()
      let copy = feed.folder + "/copy"
      mkdir(copy, 0o755)
      try #require(try ChildProcess.run(["mount", "--bind", feed.mountPoint, copy]).status == 0)
      defer { umount2(copy, Int32(MNT_DETACH)) }
      #expect(try feed.feedfs("pause", copy).status == 0)
      let first = try feed.feedfs("unmount", feed.mountPoint)
      #expect(MountedFeed.isRefusal(first, 75, "bound to \(copy)"), "\(first)")
      let again = try feed.feedfs(
        "mount", feed.mountPoint, "--feed", feed.origin.url("/feed"))
      #expect(MountedFeed.isRefusal(again, 75, "unmount --force \(feed.mountPoint)"), "\(again)")
      #expect(try feed.feedfs("unmount", "--force", feed.mountPoint).status == 0)
      #expect(try feed.process.wait(timeout: .seconds(10)) != nil)
      #expect(!(try ChildProcess.run(["cat", "/proc/self/mountinfo"]).out.contains(copy)))
      try feed.mount()
      try feed.unmount()
    }

    @Test func aCacheThatWasMovedIsNamedAsItIsNow() throws {
      try feed.mount()
      #expect(try feed.cache("fetch", "0001.mp4").status == 0)
      let moved = feed.folder + "/moved"
      #expect(rename(feed.cacheDirectory, moved) == 0)
      #expect(try feed.status().cache.path == moved)
      let path = try feed.feedfs("cache", "path", feed.path(1))
      #expect(path.out.hasPrefix(moved + "/"), "\(path)")
      _ = try ChildProcess.run(["rm", "-rf", moved])
      #expect(try feed.status().cache.problem?.contains("removed") == true)
    }

    @Test(.enabled(if: geteuid() == 0, "only root may take /proc away"))
    func withoutProcACommandSaysSo() throws {
      let outcome = try ChildProcess.run([
        "unshare", "-m", "sh", "-c", "umount -l /proc; exec \(BuiltBinary.path("feedfs")) status",
      ])
      #expect(MountedFeed.isRefusal(outcome, 69, "/proc is not mounted"), "\(outcome)")
    }

    /// An armed automount reports through a pipe that a process wants the mount.
    @Test(.enabled(if: geteuid() == 0, "only root may mount an automount"))
    func aMountOnAnAutomountDoesNotCauseIt() throws {
      let script = """
        import ctypes, os, select, subprocess, sys
        place, command = sys.argv[1], sys.argv[2:]
        ends = os.pipe()
        libc = ctypes.CDLL(None, use_errno=True)
        options = f"fd={ends[1]},pgrp={os.getpgrp()},minproto=5,maxproto=5,direct"
        if libc.mount(b"test", place.encode(), b"autofs", 0, options.encode()): sys.exit(77)
        # In a group of its own it is like anybody else to the automount.
        child = subprocess.Popen(command, start_new_session=True)
        asked = select.select([ends[0]], [], [], 0)[0]
        while child.poll() is None and not asked: asked = select.select([ends[0]], [], [], 0.2)[0]
        if asked: os.close(ends[0]); child.kill(); print("it was caused")
        print(child.wait(), os.path.exists(place + "/0001.mp4"))
        subprocess.run([command[0], "unmount", "--force", place])
        """
      let outcome = try ChildProcess.run(
        [
          "unshare", "-m", "python3", "-c", script, feed.mountPoint, BuiltBinary.path("feedfs"),
          "mount", feed.mountPoint, "--feed", feed.origin.url("/feed"),
          "--cache-dir", feed.cacheDirectory,
        ], environment: feed.environment)
      if outcome.status == 77 { return }
      #expect(outcome.status == 0 && outcome.out == "0 True\n", "\(outcome)")
    }
  }
}
