import CLinux
import Glibc
import TestSupport

/// Files that the user has written beside the mount.
extension MountedFeed {
  /// The path of the configuration file.
  static let configuration = ".config/feedfs/config.toml"

  /// Writes a file below the folder of the test, and makes its directories.
  func write(_ text: String, to name: String, mode: mode_t = 0o600) throws {
    let path = folder + "/" + name
    if let slash = path.lastIndex(of: "/") {
      _ = try ChildProcess.run(["mkdir", "-p", String(path[..<slash])])
    }
    unlink(path)
    let file = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw TestToolError("\(path) cannot be written: \(errnoWords)") }
    defer { close(file) }
    let bytes = Array(text.utf8)
    guard Glibc.write(file, bytes, bytes.count) == bytes.count, fchmod(file, mode) == 0 else {
      throw TestToolError("\(path) was not written whole")
    }
  }

  /// All extended attributes of a file, one per line.
  func attributes(of path: String) -> String {
    var names = [UInt8](repeating: 0, count: 4096)
    let size = names.withUnsafeMutableBytes {
      listxattr(path, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count)
    }
    return names.prefix(max(0, size)).split(separator: 0).map { name in
      var value = [UInt8](repeating: 0, count: 4096)
      let name = String(decoding: name, as: UTF8.self)
      let count = getxattr(path, name, &value, value.count)
      return "\(name)=\(String(decoding: value.prefix(max(0, count)), as: UTF8.self))"
    }.joined(separator: "\n")
  }

  private var errnoWords: String { String(cString: strerror(errno)) }

  /// Whether a command failed with `code`, and with one line on stderr that contains `words`.
  static func isRefusal(
    _ outcome: (status: Int32, out: String, err: String), _ code: Int32, _ words: String
  ) -> Bool {
    outcome.status == code && outcome.out.isEmpty && outcome.err.hasPrefix("feedfs: ")
      && outcome.err.split(separator: "\n", omittingEmptySubsequences: false).count == 2
      && outcome.err.contains(words)
  }
}
