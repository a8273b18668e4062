import FoundationEssentials
import Glibc
package import SystemPackage

/// A directory on which a feed is to be mounted, or is.
package struct MountPoint: Sendable {
  /// What the kernel says is mounted.
  package struct Entry: Hashable, Sendable {
    package let path: FilePath
    package let type: String
    /// The minor number of its device.
    package let device: Int
    /// Who has mounted it, where the kernel says so: of FUSE it does.
    package let user: UInt32?
  }

  package let path: FilePath

  package init(_ path: FilePath) {
    self.path = path
  }

  /// The mounts of feedfs in this namespace, in the order in which they were made.
  package static var ours: [FilePath] {
    all.filter { $0.type == "fuse.feedfs" }.map(\.path)
  }

  /// Whether the last mount at this path is one of feedfs.
  package var isOurs: Bool {
    entry?.type == "fuse.feedfs"
  }

  /// Whether somebody else has mounted it, so that nobody but him and root may take it away.
  package var isAnothers: Bool {
    geteuid() != 0 && entry?.user.map { $0 != geteuid() } ?? false
  }

  /// Makes sure that a feed can be mounted here; one of ours whose daemon is dead is taken away.
  func prepare(allowsNonempty: Bool) throws(MountError) {
    if errno(of: path) == .socketNotConnected && isOurs {
      // The helper of the dead daemon takes the mount away by itself, and must not find ours there.
      waitForRemoval(within: .seconds(1))
      if isOurs { detach() }
    }
    if let error = errno(of: path) { throw Self.refusal(of: path, error) }
    guard !Self.all.contains(where: { $0.path == path && $0.type.hasPrefix("fuse") }) else {
      throw MountError(
        .tryLater, "\(path) has a mount already; `feedfs unmount \(path)` ends it if it is ours")
    }
    if !allowsNonempty && !isEmpty {
      throw MountError(
        .cannotCreate, "\(path) is not empty; choose another directory, or give --nonempty")
    }
  }

  /// Takes the mount out of the tree, even where it is in use.
  package func detach() {
    if umount2(path.string, Int32(MNT_DETACH)) == 0 { return }
    _ = Program("fusermount3", "-u", "-q", "-z", "--", path.string).run()
  }

  /// Ends the kernel's connection to the daemon, whatever that is at: whoever waits for an answer gets
  /// an error. Only for root, or for who has mounted where the system shows its connections; else nothing
  /// happens.
  package func abort() {
    if let entry { KernelConnection(device: entry.device).abort() }
  }

  // MARK: Private

  /// The last mount at this path.
  private var entry: Entry? {
    Self.all.last { $0.path == path }
  }

  /// Returns when nothing of ours is mounted here any more, or when `time` has passed.
  private func waitForRemoval(within time: Duration) {
    let deadline = ContinuousClock.now + time
    guard
      let table = try? FileDescriptor.open(
        "/proc/self/mounts", .readOnly, options: .closeOnExec)
    else { return }
    defer { try? table.close() }
    while isOurs {
      let rest = ContinuousClock.now.duration(to: deadline)
      // proc_mounts(5): a change of the table is an error to poll.
      var change = pollfd(fd: table.rawValue, events: Int16(POLLPRI), revents: 0)
      let milliseconds =
        Int32(rest.components.seconds * 1000)
        + Int32(rest.components.attoseconds / 1_000_000_000_000_000)
      guard rest > .zero, poll(&change, 1, milliseconds) > 0 else { return }
    }
  }

  private static func refusal(of path: FilePath, _ error: Errno) -> MountError {
    switch error {
    case .noSuchFileOrDirectory:
      MountError(.noInput, "\(path) does not exist; make it with `mkdir \(path)`")
    case .notDirectory:
      MountError(.noInput, "\(path) is no directory; a feed is mounted on one")
    case .permissionDenied:
      MountError(.permission, "\(path) may not be entered by you; choose another directory")
    default: MountError(.noInput, "\(path) cannot be used: \(error)")
    }
  }

  private func errno(of path: FilePath) -> Errno? {
    do {
      try FileDescriptor.open(path, .readOnly, options: [.directory, .closeOnExec]).close()
      return nil
    } catch {
      return error as? Errno ?? .ioError
    }
  }

  private var isEmpty: Bool {
    (try? FileManager.default.contentsOfDirectory(atPath: path.string))?.isEmpty ?? true
  }

  private static var all: [Entry] {
    // Not by FileManager, which takes the first read of a file without a size for all of it.
    let file = try? FileDescriptor.open(
      "/proc/self/mountinfo", .readOnly, options: .closeOnExec)
    let bytes = try? file?.closeAfter { try file?.readAll() }
    return String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n").compactMap { line in
      // proc_pid_mountinfo(5): what is behind the dash has a fixed place only from there on.
      let fields = line.split(separator: " ")
      guard let dash = fields.firstIndex(of: "-"), dash > 4, dash + 1 < fields.count,
        let device = fields[2].split(separator: ":").last.flatMap({ Int($0) })
      else { return nil }
      let user = fields.last?.split(separator: ",").first { $0.hasPrefix("user_id=") }
      return Entry(
        path: FilePath(unescaped(fields[4])), type: String(fields[dash + 1]), device: device,
        user: user.flatMap { UInt32($0.dropFirst("user_id=".count)) })
    }
  }

  /// Spaces, tabs, newlines and backslashes are written in octal (proc_mounts(5), fstab(5)).
  private static func unescaped(_ field: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(field.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      if byte == UInt8(ascii: "\\"), digits.count == 3,
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
      {
        bytes.append(value)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
