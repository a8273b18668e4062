import CLinux

/// Gives memory back that the process has but does not need. This is freed memory that the C
/// library keeps, and pages of the program.
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
