import CLinux
import SystemPackage

/// Gives memory back that counts as this process's but that the process does not need. This is
/// freed memory that the C library keeps, and pages of the program.
package enum HeapMemory {
  /// The most entries after which the call is skipped. Work on so few leaves little memory behind.
  private static let few = 2000

  /// Makes the C library keep less freed memory (mallopt(3)). Called once and early, because memory
  /// that was allocated before stays as it is.
  package static func hoardNothing() {
    feedfs_hoard_nothing()
  }

  /// Gives unneeded memory back to the kernel, after work on `entries` entries.
  package static func giveBack(after entries: Int = .max) {
    guard entries > few else { return }
    feedfs_give_back_freed()
    ProgramPages.release()
  }
}

/// The code of the program and of its libraries, as memory.
private enum ProgramPages {
  /// Gives back the pages that only the start needed. Pages in use are loaded again. The kernel
  /// maps whole folios of the page cache. These are most of the program's memory.
  ///
  /// Only code is given back. Read-only data was written when the libraries were relocated, and
  /// would be lost.
  static func release() {
    let file = try? FileDescriptor.open("/proc/self/maps", .readOnly, options: .closeOnExec)
    guard let bytes = try? file?.closeAfter({ try file?.readAll() }) else { return }
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      // proc_pid_maps(5): start-end permissions offset device inode path
      let fields = line.split(separator: " ")
      guard fields.count == 6, fields[1] == "r-xp", fields[5].hasPrefix("/") else { continue }
      let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      guard ends.count == 2, ends[0] < ends[1] else { continue }
      _ = feedfs_give_back(ends[0], Int(ends[1] - ends[0]))
    }
  }
}
