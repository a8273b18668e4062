/// The rate limit of all origins together.
package enum Rate: Hashable, Codable, Sendable {
  case unlimited
  /// A number of bytes a second.
  case limited(ByteCount)

  /// Bytes a second; nil if unlimited.
  package var bytesPerSecond: Int? {
    switch self {
    case .unlimited: nil
    case .limited(let count): count.bytes
    }
  }
}

extension Rate: WrittenValue {
  package static let form = "as bytes a second (500K, 2M), or as \"off\""

  /// Parses "2M" or "off".
  package init?(parsing text: String) {
    if ["off", "unlimited", "0"].contains(text.lowercased()) {
      self = .unlimited
    } else if let count = ByteCount(parsing: text) {
      self = .limited(count)
    } else {
      return nil
    }
  }
}
