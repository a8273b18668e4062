import CLinux
import SystemPackage

/// The memory that the code of the program and of its libraries takes up.
///
/// A page of code counts as memory of the process once its code has run. After the start of the
/// process, most pages count already, because the kernel maps code in large pieces: whole folios of
/// the page cache.
package enum ProgramPages {
  /// Gives back all pages of code. Pages that are needed are loaded again from the page cache, so
  /// nothing is lost. Safe from any thread.
  ///
  /// Only code is given back. Read-only data must stay: it was written when the libraries were
  /// relocated, and would be lost.
  package static func release() {
    let file = try? FileDescriptor.open("/proc/self/maps", .readOnly, options: .closeOnExec)
    guard let maps = try? file?.closeAfter({ try file?.readAll() }) else { return }
    for code in code(in: maps) { _ = feedfs_give_back(code.lowerBound, code.count) }
  }

  /// Returns the addresses of the code in `maps`, which are lines of proc_pid_maps(5): start-end
  /// permissions offset device inode path. Code without a file, such as the kernel's own, does not
  /// count.
  static func code(in maps: [UInt8]) -> [Range<UInt>] {
    maps.split(separator: UInt8(ascii: "\n")).compactMap { line in
      // Few lines describe code, so only those lines are split into their fields.
      guard let space = line.firstIndex(of: UInt8(ascii: " ")),
        line[space...].starts(with: permissions), line.contains(UInt8(ascii: "/"))
      else { return nil }
      let ends = String(decoding: line[..<space], as: UTF8.self).split(separator: "-")
        .compactMap { UInt($0, radix: 16) }
      guard ends.count == 2, ends[0] < ends[1] else { return nil }
      return ends[0]..<ends[1]
    }
  }

  private static let permissions = Array(" r-xp ".utf8)
}
