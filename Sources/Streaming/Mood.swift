/// How the readers of one file are off.
package enum Mood: Hashable, Sendable {
  /// Nobody reads on.
  case idle
  /// Somebody waits for bytes, or reads on and has not ahead of him yet what he should.
  case hurried
  /// Somebody reads on, and has it.
  case calm
}
