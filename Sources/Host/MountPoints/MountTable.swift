package import SystemPackage

/// The kernel's table of mounts, in the order in which they were made (proc_pid_mountinfo(5)).
package struct MountTable: Hashable, Sendable {
  package struct Entry: Hashable, Sendable {
    package let path: FilePath
    package let type: String
    /// The minor number of the file system's device.
    package let device: Int
    /// The part of the file system that is mounted at `path`; "/" is all of it.
    package let root: String
    /// The user who made the mount. The kernel shows this only for FUSE mounts.
    package let user: UInt32?

    package var isFeed: Bool { type == "fuse.feedfs" }
  }

  package let entries: [Entry]

  /// - Parameter text: the text of `/proc/self/mountinfo`. Lines that cannot be parsed are left
  ///   out.
  package init(parsing text: String) {
    entries = text.split(separator: "\n").compactMap(Entry.init)
  }

  /// The table of this process; empty without /proc.
  package static var own: MountTable {
    // FileManager cannot read this file. It takes the first read of a file without a size for the
    // whole file.
    let file = try? FileDescriptor.open(
      "/proc/self/mountinfo", .readOnly, options: .closeOnExec)
    let bytes = try? file?.closeAfter { try file?.readAll() }
    return MountTable(parsing: String(decoding: bytes ?? [], as: UTF8.self))
  }

  /// Returns the last mount at `path`. It hides the earlier mounts at the same path.
  package func last(at path: FilePath) -> Entry? {
    entries.last { $0.path == path }
  }

  /// The paths of all mounts of feedfs that no later mount hides, of any user.
  package var feeds: [FilePath] {
    entries.filter { $0.isFeed && last(at: $0.path) == $0 }.map(\.path)
  }

  /// Returns the paths of `user`'s mounts. A mount that is also bound to other paths counts once.
  package func feeds(of user: UInt32) -> [FilePath] {
    var known: Set<Int> = []
    return entries.filter { entry in
      entry.isFeed && entry.user == user && entry.root == "/" && last(at: entry.path) == entry
        && known.insert(entry.device).inserted
    }.map(\.path)
  }

  /// Returns the paths where the file system of feedfs with this device number is visible.
  package func places(ofDevice device: Int) -> [FilePath] {
    entries.filter { $0.isFeed && $0.device == device && last(at: $0.path) == $0 }.map(\.path)
  }

  /// Returns the paths where `user` has mounted the file system of `device`, and where it is
  /// visible.
  package func places(ofDevice device: Int, by user: UInt32) -> [FilePath] {
    places(ofDevice: device).filter { last(at: $0)?.user == user }
  }

  /// Returns those paths of `earlier` where the file system of `device` is still visible.
  ///
  /// Linux may give the device number of an ended file system to a new one at once. So a mount at a
  /// path that is not in `earlier` is a new file system, although it has the same number.
  package func places(ofDevice device: Int, among earlier: [FilePath]) -> [FilePath] {
    places(ofDevice: device).filter(earlier.contains)
  }
}

extension MountTable.Entry {
  fileprivate init?(_ line: Substring) {
    // Optional fields come before the dash, so the fields behind it are counted from the dash.
    let fields = line.split(separator: " ")
    guard let dash = fields.firstIndex(of: "-"), dash > 4, dash + 1 < fields.count,
      let device = fields[2].split(separator: ":").last.flatMap({ Int($0) })
    else { return nil }
    let user = fields.last?.split(separator: ",").first { $0.hasPrefix("user_id=") }
    self.init(
      path: FilePath(Self.unescaped(fields[4])), type: String(fields[dash + 1]), device: device,
      root: Self.unescaped(fields[3]),
      user: user.flatMap { UInt32($0.dropFirst("user_id=".count)) })
  }

  /// Decodes spaces, tabs, newlines and backslashes, which are written in octal (proc_mounts(5),
  /// fstab(5)).
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
