import Glibc

/// Where the bytes of a body come from.
enum Content: Sendable {
  case bytes([UInt8])
  case file(OpenFile)
  case pattern(seed: UInt64)
}

extension Content {
  /// Other bytes, as those of another version.
  var another: Content {
    switch self {
    case .bytes(let bytes): .bytes(bytes.map { ~$0 })
    case .file: self
    case .pattern(let seed): .pattern(seed: seed &+ 1)
    }
  }
}

/// A file that is open for reading, until nobody sends from it any more.
final class OpenFile: Sendable {
  let descriptor: Int32

  /// Owns `descriptor` from now on.
  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }
}
