import CLinux

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
