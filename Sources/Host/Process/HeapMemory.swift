import CLinux
import SystemPackage

/// Memory that counts as this process's and that the process does not need: freed memory that the C
/// library keeps, and pages of the program.
package enum HeapMemory {
  /// Work on at most this many entries leaves too little behind to be worth a call.
  private static let few = 2000

  /// Makes the C library keep less freed memory (mallopt(3)). Called once, early: memory that was
  /// allocated before stays as it is.
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
  /// Gives back the pages that only the start needed; pages in use are loaded again. The kernel
  /// maps whole folios of the page cache, which are most of a program, and they count as memory of
  /// the process.
  ///
  /// Only code: read-only data was written when the libraries were relocated, and would be lost.
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
