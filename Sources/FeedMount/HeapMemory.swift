import CLinux

/// Freed memory that the C library keeps for the next time.
package enum HeapMemory {
  /// Work on no more entries than these leaves nothing behind that is worth it.
  private static let few = 2000

  /// Called once, early: what was allocated before stays as it is.
  package static func hoardNothing() {
    feedfs_hoard_nothing()
  }

  /// Gives what is free back to the kernel, after work on so many entries.
  package static func giveBack(after entries: Int = .max) {
    if entries > few { feedfs_give_back_freed() }
  }
}
