/// The reason why a stream, or a part of one, cannot be read.
package enum StreamError: Error, Equatable {
  /// The bytes end before the end of the named structure.
  case truncated(String)
  /// The bytes contradict themselves or their format.
  case malformed(String)
  /// A number exceeds the named limit of docs/internals/limits.md.
  case tooLarge(String)
  /// The bytes are correct, but feedfs cannot make a file of them; the text says why.
  case unsupported(String)
  /// The stream is live, so it cannot be read before it has an end; the text says so.
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
