/// A part of a file that is to be had before anybody reads it.
package enum Part: Hashable, Sendable {
  /// What a program reads first.
  case head
  /// The end, and the container's index if that lies before it.
  case tail
  /// What plays in the first ten seconds.
  case opening
  case whole
}
