import Glibc
import TestSupport
import Testing

extension Promises {
  /// systemd mounts a feed like any other file system, with no HOME and no session.
  @Suite(
    .timeLimit(.minutes(3)), .enabled(if: Systemd.isPossible, "no systemd, or not root"))
  struct SystemdTests {
    private let feed: MountedFeed
    private let film = PatternFile(name: "film", size: 400_000)

    init() throws {
      feed = try MountedFeed()
      try feed.serve([film])
    }

    @Test func theFirstLookAtAnAutomountMountsTheFeed() throws {
      let systemd = try Systemd(
        of: feed,
        units: [
          "\(Systemd.unit(of: feed.mountPoint)).automount": """
          [Unit]
          DefaultDependencies=no
          [Automount]
          Where=\(feed.mountPoint)
          """,
          "\(Systemd.unit(of: feed.mountPoint)).mount": """
          [Unit]
          DefaultDependencies=no
          [Mount]
          What=\(feed.origin.url("/feed"))
          Where=\(feed.mountPoint)
          Type=feedfs
          TimeoutSec=30
          """,
        ], needing: "\(Systemd.unit(of: feed.mountPoint)).automount",
        script: "cat \(feed.path(1))")

      let said = try systemd.run()
      #expect(said.bytes == Pattern.bytes(0..<film.size, seed: 1))
      // Without HOME the mount writes into the home that passwd names, and not into `/`.
      #expect(said.kept.contains("/.cache/feedfs/"))
      #expect(said.kept.contains("/.local/state/feedfs/"))
      #expect(!said.kept.split(separator: "\n").contains { $0.hasPrefix("/.") })
    }

    @Test func aServiceWhoseProcessesAreAllKilledMountsAgain() throws {
      let systemd = try Systemd(
        of: feed,
        units: [
          "feed.service": """
          [Unit]
          DefaultDependencies=no
          [Service]
          Environment=TMPDIR=\(feed.folder)
          ExecStart=\(BuiltBinary.path("feedfs")) mount \(feed.mountPoint) --foreground \
          --feed \(feed.origin.url("/feed"))
          Restart=always
          RestartSec=100ms
          """
        ], needing: "feed.service",
        script: """
          until [ -e \(feed.path(1)) ]; do sleep 0.1; done
          first=$(systemctl show -P MainPID feed.service)
          systemctl kill -s KILL --kill-whom=all feed.service
          until [ -e \(feed.path(1)) ] && [ "$(systemctl show -P MainPID feed.service)" != $first ]
          do sleep 0.1; done
          cat \(feed.path(1))
          """)

      #expect(try systemd.run().bytes == Pattern.bytes(0..<film.size, seed: 1))
    }
  }
}

/// A systemd of the test's own, in its own namespaces, that starts a few units and one script.
///
/// It sees the machine's files, but has its own `/run`, units, `/usr/sbin` and home of root. All of
/// its processes and mounts end with it.
private final class Systemd {
  static let isPossible =
    geteuid() == 0 && access("/lib/systemd/systemd", X_OK) == 0 && access("/dev/autofs", F_OK) == 0
    && isInstalled("unshare")

  private let feed: MountedFeed
  private let script: String

  /// - Parameters:
  ///   - units: the units' texts, by file name.
  ///   - needing: the unit that starts before the script, and outlives it.
  ///   - script: for `sh`; `run` returns its output.
  init(of feed: MountedFeed, units: [String: String], needing unit: String, script: String) throws {
    self.feed = feed
    self.script = script
    let probe = """
      [Unit]
      DefaultDependencies=no
      Wants=\(unit)
      After=\(unit)
      [Service]
      Type=oneshot
      ExecStart=/bin/sh \(feed.folder)/script
      """
    mkdir(feed.folder + "/units", 0o755)
    let target = "[Unit]\nAllowIsolate=yes\nRequires=probe.service\nAfter=probe.service\n"
    for (name, text) in units.merging(
      ["probe.service": probe, "test.target": target], uniquingKeysWith: { $1 })
    {
      try feed.write(text + "\n", to: "units/" + name, mode: 0o644)
    }
    try feed.write(
      """
      #!/bin/sh
      export TMPDIR=\(feed.folder)
      exec \(BuiltBinary.path("feedfs")) mount "$2" --feed "$1"

      """, to: "helper", mode: 0o755)
    try feed.write(
      """
      { \(script)
      } >\(feed.folder)/out 2>\(feed.folder)/err
      home=$(getent passwd 0 | cut -d: -f6)
      find /.cache/feedfs /.local/state/feedfs $home/.cache/feedfs $home/.local/state/feedfs \
        -newer \(feed.folder)/script >\(feed.folder)/kept
      mv \(feed.folder)/out \(feed.folder)/done
      """, to: "script", mode: 0o644)
    try feed.write(Self.boot(feed.folder), to: "boot", mode: 0o644)
  }

  /// The name of the unit for a path, as systemd-escape(1) makes it.
  static func unit(of path: String) -> String {
    path.dropFirst().map { $0 == "/" ? "-" : $0 == "-" ? "\\x2d" : String($0) }.joined()
  }

  /// Returns the script's output, and the files of feedfs that were made meanwhile, one per line.
  func run() throws -> (bytes: [UInt8], kept: String) {
    let child = try ChildProcess([
      "unshare", "--mount", "--pid", "--fork", "--kill-child=KILL", "--mount-proc", "--cgroup",
      "--uts", "--ipc", "sh", feed.folder + "/boot",
    ])
    defer {
      child.killGroup()
      _ = child.wait(timeout: .seconds(10))
    }
    guard eventually(within: .seconds(60), { access(feed.folder + "/done", F_OK) == 0 }) else {
      throw TestToolError(
        "the script has not ended: \(contents(of: feed.folder + "/err"))\n\(child.errors.text)")
    }
    return (try feed.bytes(of: feed.folder + "/done"), contents(of: feed.folder + "/kept"))
  }

  /// The script of the first process, before it becomes systemd.
  private static func boot(_ folder: String) -> String {
    """
    set -e
    mount --make-rprivate /
    mount -t tmpfs tmpfs /run
    home=$(getent passwd 0 | cut -d: -f6)
    overlay() {
      mkdir -p "/run/over/$1/up" "/run/over/$1/work"
      mount -t overlay -o "lowerdir=$2,upperdir=/run/over/$1/up,workdir=/run/over/$1/work" overlay "$2"
    }
    overlay sbin /usr/sbin
    overlay home "$home"
    rm -rf "$home/.cache/feedfs" "$home/.local/state/feedfs"
    cp \(folder)/helper /usr/sbin/mount.feedfs
    mount -t tmpfs tmpfs /etc/systemd
    cp -r \(folder)/units /etc/systemd/system
    mount -t tmpfs tmpfs /sys/fs/cgroup
    mkdir /sys/fs/cgroup/systemd
    mount -t cgroup -o none,name=systemd,xattr systemd /sys/fs/cgroup/systemd
    exec env -i container=test PATH="$PATH" /lib/systemd/systemd --system --unit=test.target \\
      --log-target=console --show-status=false
    """
  }
}
