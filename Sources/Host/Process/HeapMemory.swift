import CLinux

/// Gives memory that the process does not need back to the kernel: freed memory that the C library
/// keeps, and pages of the program's code.
package enum HeapMemory {
  /// After work on at most this many entries, `giveBack` does nothing, because such work leaves
  /// little unneeded memory.
  private static let few = 2000

  /// Makes the C library keep less freed memory (mallopt(3)). Call it once and early, because it
  /// does not affect memory that was allocated before.
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
