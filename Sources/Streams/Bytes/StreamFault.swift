/// The reason why a stream, or a part of one, cannot be read.
package enum StreamFault: Error, Equatable {
  /// The bytes end before the structure does.
  case truncated(String)
  /// The bytes contradict themselves or their format.
  case malformed(String)
  /// A number exceeds the limit that docs/internals/limits.md names.
  case tooLarge(String)
  /// The bytes are right, but a file cannot be made of them; the text says why.
  case unsupported(String)
  /// The stream has no end yet. It can be read once it has; the text says why.
  case unfinished(String)
}
