/// The limit of the cache, for all feeds and mounts that share it.
package enum CacheSize: Hashable, Codable, Sendable {
  case unlimited
  case limited(ByteCount)

  package static let standard = limited(ByteCount(20 << 30))

  /// Bytes; nil if unlimited.
  package var bytes: Int? {
    switch self {
    case .unlimited: nil
    case .limited(let count): count.bytes
    }
  }
}

extension CacheSize: WrittenValue {
  package static let form = "as bytes (500M, 20G), or as \"unlimited\""

  /// Parses "20G" or "unlimited".
  package init?(parsing text: String) {
    if text.uppercased() == "UNLIMITED" {
      self = .unlimited
    } else if let count = ByteCount(parsing: text) {
      self = .limited(count)
    } else {
      return nil
    }
  }
}
