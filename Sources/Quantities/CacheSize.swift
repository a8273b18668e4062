/// The limit of the cache, for all feeds and mounts that share it.
package enum CacheSize: Hashable, Codable, Sendable {
  case unlimited
  case limited(Space)

  package static let standard = limited(.bytes(ByteCount(20 << 30)))

  /// Returns the limit in bytes; nil if the cache is unlimited.
  ///
  /// - Parameter total: returns the size of the disk in bytes. Called only if the limit is a share
  ///   of the disk.
  package func bytes(ofDisk total: () -> Int) -> Int? {
    switch self {
    case .unlimited: nil
    case .limited(let space): space.bytes(ofDisk: total)
    }
  }
}

extension CacheSize: WrittenValue {
  package static let form = Space.form + ", or as \"unlimited\""

  /// Parses "20G", "10%" or "unlimited".
  package init?(parsing text: String) {
    if NoLimit.names.contains(text.lowercased()) {
      self = .unlimited
    } else if let space = Space(parsing: text) {
      self = .limited(space)
    } else {
      return nil
    }
  }
}

/// The words for "no limit", wherever a limit is written.
enum NoLimit {
  static let names = ["off", "none", "unlimited"]
}
