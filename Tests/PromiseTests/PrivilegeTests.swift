import Glibc
import TestSupport
import Testing

extension Promises {
  /// No shell runs anything, and no other user sees a mount.
  @Suite(.timeLimit(.minutes(2))) struct PrivilegeTests {
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
    }

    /// The program imports none of the calls that start a shell.
    @Test(.enabled(if: isInstalled("nm"))) func theProgramCallsNoShell() throws {
      let symbols = try ChildProcess.run(["nm", "-D", "-u", "-P", BuiltBinary.path("feedfs")])
      let names = Set(
        symbols.out.split(separator: "\n").compactMap { line in
          line.split(whereSeparator: { $0 == " " || $0 == "@" }).first.map(String.init)
        })
      #expect(names.contains("posix_spawn"))
      #expect(names.isDisjoint(with: ["system", "popen", "execl", "execlp", "execvp", "wordexp"]))
    }

    @Test func nobodyElseSeesAMountUnlessItIsAllowed() throws {
      try feed.serve([PatternFile(name: "a", size: 100_000)])
      try feed.mount()
      #expect(!options.contains("allow_other"))
      for option in ["nosuid", "nodev", "ro", "default_permissions"] {
        #expect(options.contains(option), "\(options)")
      }
      guard geteuid() == 0, isInstalled("setpriv") else { return }
      chmod(feed.folder, 0o755)
      let other = try ChildProcess.run(
        [
          "setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "ls",
          feed.mountPoint,
        ])
      #expect(other.status != 0 && other.err.contains("Permission denied"), "\(other)")
    }

    private var options: [String] {
      let line = contents(of: "/proc/self/mounts").split(separator: "\n")
        .first { $0.contains(" \(feed.mountPoint) ") }
      return line?.split(separator: " ").dropFirst(3).first?.split(separator: ",").map(String.init)
        ?? []
    }
  }
}
