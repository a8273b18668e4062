package import Glibc

/// A request that should have had its answer long ago: our mistake, and all that is known of it.
package struct OverdueRequest: Hashable, Sendable {
  /// Who waits: a thread, and its program's name, empty if it is gone.
  package let thread: pid_t
  package let program: String
  /// What it waits for.
  package let cause: String
  package let age: Duration
  /// What is being done for it.
  package let story: String
  /// Its wait was ended before, and it still has no answer.
  package let hasNoEnd: Bool
}
