/// The keys that apply to a segment at the current line of a playlist (RFC 8216 §4.3.2.4).
struct PlaylistKeys {
  /// The attributes of an EXT-X-KEY tag. If `vector` is nil, the media sequence number of a segment
  /// is its initialization vector.
  private struct Key: Hashable {
    let method: String
    let format: String
    let address: String
    let vector: UInt128?
  }

  /// The keys that apply, one for each KEYFORMAT, in the order of their tags.
  private var keys: [Key] = []

  mutating func take(_ list: AttributeList) throws(StreamError) {
    guard let method = list["METHOD"]?.uppercased() else {
      throw .malformed("EXT-X-KEY without METHOD")
    }
    if method == "NONE" {
      keys = []
      return
    }
    let format = list["KEYFORMAT"] ?? "identity"
    keys.removeAll { $0.format == format }
    guard keys.count < 16 else { throw .tooLarge("keys of a segment") }
    keys.append(
      Key(method: method, format: format, address: list["URI"] ?? "", vector: try vector(list)))
  }

  private func vector(_ list: AttributeList) throws(StreamError) -> UInt128? {
    guard let text = list["IV"] else { return nil }
    let hasPrefix = text.hasPrefix("0x") || text.hasPrefix("0X")
    let digits = hasPrefix ? text.dropFirst(2) : text[...]
    // Without the prefix, only all of the digits are certain to be hexadecimal.
    guard hasPrefix ? digits.count <= 32 : digits.count == 32,
      let number = UInt128(digits, radix: 16)
    else { throw .malformed("the IV of a key") }
    return number
  }

  /// Returns the reference and the vector of the key for a segment; nil if the segment is not
  /// encrypted.
  ///
  /// - Parameter number: the media sequence number of the segment; nil for an initialization, whose
  ///   key must have an IV.
  func key(for number: Int?) throws(StreamError) -> (reference: String, vector: UInt128)? {
    guard !keys.isEmpty else { return nil }
    guard let key = keys.first(where: { $0.format == "identity" && $0.method == "AES-128" }) else {
      throw .unsupported(reason)
    }
    guard !key.address.isEmpty else { throw .malformed("EXT-X-KEY without URI") }
    if let vector = key.vector { return (key.address, vector) }
    guard let number else { throw .malformed("an encrypted EXT-X-MAP whose key has no IV") }
    return (key.address, UInt128(number))
  }

  /// The reason why feedfs cannot use any of the keys, in words for the user.
  private var reason: String {
    let names = keys.compactMap { key in Self.systems.first { key.format.lowercased() == $0.0 }?.1 }
    if !names.isEmpty { return "the stream is protected by \(names.joined(separator: ", ")) (DRM)" }
    return "the stream is encrypted with \(keys[0].method.prefix(32)), for which feedfs has no key"
  }

  private static let systems: [(String, String)] = [
    ("urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed", "Widevine"),
    ("com.widevine", "Widevine"), ("com.apple.streamingkeydelivery", "FairPlay"),
    ("com.microsoft.playready", "PlayReady"),
    ("urn:uuid:9a04f079-9840-4286-ab92-e65be0885f95", "PlayReady"),
  ]
}
