/// The limit for the rate at which bytes are fetched from all origins together.
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
  package static let form = "as bytes a second (500K, 1.5M, 2MB), or as \"off\""

  /// Parses "2M", "1.5MB/s" or "off". Zero means unlimited.
  package init?(parsing text: String) {
    let text = text.lowercased()
    if NoLimit.names.contains(text) {
      self = .unlimited
    } else if let count = ByteCount(parsing: text.hasSuffix("/s") ? String(text.dropLast(2)) : text)
    {
      self = count.bytes == 0 ? .unlimited : .limited(count)
    } else {
      return nil
    }
  }

  /// The rate as a text that every version of feedfs can parse: "2097152", "off".
  package var text: String { bytesPerSecond.map { "\($0)" } ?? "off" }
}
