import CLinux
import SystemPackage

/// Memory that counts as this process's and that it does not need: what the C library keeps of what was
/// freed, and pages of the program.
package enum HeapMemory {
  /// Work on no more entries than these leaves nothing behind that is worth it.
  private static let few = 2000

  /// Called once, early: what was allocated before stays as it is.
  package static func hoardNothing() {
    feedfs_hoard_nothing()
  }

  /// Gives back to the kernel what nobody needs, after work on so many entries.
  package static func giveBack(after entries: Int = .max) {
    guard entries > few else { return }
    feedfs_give_back_freed()
    ProgramPages.release()
  }
}

/// The code of the program and of its libraries, as memory.
private enum ProgramPages {
  /// Gives back what was needed to start: the kernel maps whole folios of the page cache, which for a
  /// program is most of it, and they count as memory of the process. What is used comes again.
  ///
  /// Only code: what may only be read now, was written when the libraries were put in their places.
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
