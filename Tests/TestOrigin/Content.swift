import Glibc

/// The source of a body's bytes.
enum Content: Sendable {
  case bytes([UInt8])
  case file(OpenFile)
  case pattern(seed: UInt64)
}

extension Content {
  /// Different bytes, as another version would have; a file stays the same.
  var another: Content {
    switch self {
    case .bytes(let bytes): .bytes(bytes.map { ~$0 })
    case .file: self
    case .pattern(let seed): .pattern(seed: seed &+ 1)
    }
  }
}

/// A file open for reading; it is closed when its last owner lets go.
final class OpenFile: Sendable {
  let descriptor: Int32

  /// Takes ownership of `descriptor`.
  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }
}
