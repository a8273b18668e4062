import FoundationEssentials
import Glibc
package import SystemPackage

/// A directory on which a feed is mounted, or is about to be.
package struct MountPoint: Sendable {
  package let path: FilePath

  package init(_ path: FilePath) {
    self.path = path
  }

  /// This user's mounts of feedfs in this namespace, in the order in which they were made.
  package static var ours: [FilePath] {
    MountTable.own.feeds(of: geteuid())
  }

  /// True if the last mount at this path is a mount of feedfs.
  package var isOfFeeds: Bool {
    entry?.isFeed ?? false
  }

  /// True if another user has made the mount at this path.
  package var isAnothers: Bool {
    entry?.user.map { $0 != geteuid() } ?? false
  }

  /// True if another user has made the mount at this path, and this user is not root. Then this
  /// user is not allowed to unmount it.
  package var isOutOfReach: Bool {
    geteuid() != 0 && isAnothers
  }

  /// Makes sure that a feed can be mounted here. Unmounts mounts of feedfs whose daemon is dead.
  ///
  /// Looks at the directory by name alone, because opening it would trigger an automount. That
  /// automount may be waiting for the very mount that is being made here.
  package func prepare(allowsNonempty: Bool) throws(CommandError) {
    // The entry is read as seldom as possible, because each reading of the table of mounts makes
    // the start some tenths of a millisecond slower.
    var entry = self.entry
    if entry?.isFeed == true {
      try takeAwayTheDead()
      entry = self.entry
    }
    try check()
    try checkIsFree(by: entry)
    // The directory of an automount is not listed, because that would trigger the automount.
    if !allowsNonempty && entry?.type != "autofs" && !isEmpty {
      // Another process may have mounted here meanwhile. Then the names in the directory are those
      // of its mount.
      try checkIsFree(by: self.entry)
      throw CommandError(
        .cannotCreate, "\(path) is not empty; choose another directory, or give --nonempty")
    }
  }

  /// Runs `body`, which makes the mount, while no other process of feedfs mounts at this path.
  ///
  /// - Returns: the result of `body`, and the minor number of the device that is mounted here now.
  package func mounting<Made>(
    _ body: () throws(CommandError) -> Made
  ) throws(CommandError) -> (made: Made, device: Int?) {
    let before = entry
    try checkIsFree(by: before)
    // The directory is locked by opening it, but an automount point is not opened. It needs no
    // lock, because the program that triggered the automount waits for one mount only.
    let lock =
      before?.type == "autofs"
      ? nil
      : try? FileDescriptor.open(path, .readOnly, options: [.directory, .closeOnExec])
    defer { try? lock?.close() }
    if let lock, flock(lock.rawValue, LOCK_EX | LOCK_NB) != 0, Glibc.errno == EWOULDBLOCK {
      throw CommandError(.tryLater, "\(path) is being mounted by another process; try again")
    }
    // Another process may have mounted here before this process got the lock.
    try checkIsFree(by: entry)
    return (try body(), entry?.device)
  }

  /// Unmounts this path, even if the mount is in use.
  package func detach() {
    if umount2(path.string, Int32(MNT_DETACH)) == 0 { return }
    _ = Program("fusermount3", "-u", "-q", "-z", "--", path.string).run()
  }

  /// Ends the kernel's connection to the daemon, whatever state the daemon is in. Waiting readers
  /// get an error. This works for root. It also works for the user who made the mount, if the
  /// connections are visible below `/sys/fs/fuse`. Otherwise nothing happens.
  package func abort() {
    if let entry { KernelConnection(device: entry.device).abort() }
  }

  /// The last mount at this path.
  package var entry: MountTable.Entry? {
    MountTable.own.last(at: path)
  }

  // MARK: Private

  private func takeAwayTheDead() throws(CommandError) {
    // Several mounts can be at the same path, each on top of the earlier ones.
    for _ in 0..<16 {
      guard isOfFeeds else { return }
      do throws(MountQuestion.Failure) {
        _ = try MountQuestion(.attribute, RootAttributes.processName, at: path).answer()
        return
      } catch {
        guard error != .silence else {
          throw CommandError(
            .tryLater,
            "\(path) has a mount already, and its daemon does not answer; `feedfs unmount --force \(path)` ends it"
          )
        }
        guard error.isOfTheDead else { return }
      }
      // The helper process of the dead daemon unmounts the path by itself. The wait makes sure that
      // the helper does not unmount the new mount instead.
      let device = entry?.device
      waitForChange(of: device, within: .seconds(1))
      if entry?.device == device { detach() }
    }
  }

  private func check() throws(CommandError) {
    var status = stat()
    guard stat(path.string, &status) == 0 else {
      throw Self.refusal(of: path, Errno(rawValue: Glibc.errno))
    }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw Self.refusal(of: path, .notDirectory) }
    guard access(path.string, R_OK | X_OK) == 0 else {
      throw Self.refusal(of: path, Errno(rawValue: Glibc.errno))
    }
  }

  /// - Parameter entry: the last mount at this path.
  private func checkIsFree(by entry: MountTable.Entry?) throws(CommandError) {
    guard let entry, entry.type.hasPrefix("fuse") else { return }
    let mend =
      entry.isFeed
      ? "`feedfs unmount \(path)` unmounts it"
      : "its type is \(entry.type); choose another directory"
    throw CommandError(.tryLater, "\(path) has a mount already; \(mend)")
  }

  /// Returns when `device` is no longer mounted here, or when `time` has passed.
  private func waitForChange(of device: Int?, within time: Duration) {
    let deadline = ContinuousClock.now + time
    guard
      let table = try? FileDescriptor.open(
        "/proc/self/mounts", .readOnly, options: .closeOnExec)
    else { return }
    defer { try? table.close() }
    while entry?.device == device {
      let rest = ContinuousClock.now.duration(to: deadline)
      // proc_mounts(5): poll reports a change of the table as a priority event.
      var change = pollfd(fd: table.rawValue, events: Int16(POLLPRI), revents: 0)
      guard rest > .zero, poll(&change, 1, Int32(rest / .milliseconds(1))) > 0 else { return }
    }
  }

  private static func refusal(of path: FilePath, _ error: Errno) -> CommandError {
    switch error {
    case .noSuchFileOrDirectory:
      CommandError(.noInput, "\(path) does not exist; make it with `mkdir \(path)`")
    case .notDirectory:
      CommandError(.noInput, "\(path) is not a directory; name an empty directory for the mount")
    case .permissionDenied:
      CommandError(.permission, "you may not enter \(path); choose another directory")
    default: CommandError(.noInput, "\(path) cannot be used: \(error)")
    }
  }

  private var isEmpty: Bool {
    (try? FileManager.default.contentsOfDirectory(atPath: path.string))?.isEmpty ?? true
  }
}
