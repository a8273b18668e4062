/// The reason why a stream, or a part of one, cannot be read.
package enum StreamError: Error, Equatable {
  /// The bytes end before the structure that is named.
  case truncated(String)
  /// The bytes contradict themselves or their format.
  case malformed(String)
  /// A number exceeds the limit that docs/internals/limits.md names.
  case tooLarge(String)
  /// The bytes are right, but a file cannot be made of them; the text says why.
  case unsupported(String)
  /// The stream is live, and can be read once it has an end; the text says so.
  case unfinished(String)
}

extension StreamError {
  /// The reason in words for the user, to follow the name of a file.
  package var words: String {
    switch self {
    case .truncated(let what): "the stream is cut off within its \(what)"
    case .malformed(let what): "the stream does not keep to its format: \(what)"
    case .tooLarge(let what):
      "the stream exceeds a limit of feedfs: \(what) (docs/internals/limits.md)"
    case .unsupported(let reason), .unfinished(let reason): reason
    }
  }
}
