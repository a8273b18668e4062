/// Decides by the first bytes of a file whether feedfs makes another file of it. The file must be a
/// fragmented MP4 with one picture and at most one sound.
///
/// The reason is that most players read a fragmented MP4 to its end before they show the first
/// picture. A file with further tracks stays as it is, because the made file would lack these
/// tracks.
package enum FragmentedHead {
  /// The limit for the size of the head. A longer head has tables of samples. In fragmented files
  /// these tables are empty.
  package static let maxBytes = 64 << 10

  /// Returns whether `bytes`, the beginning of a file, show the head of such a file. Nil while more
  /// bytes are needed; `maxBytes` are always enough.
  package static func isThere(in bytes: [UInt8]) -> Bool? {
    var place = 0
    while place < maxBytes {
      guard place + BoxHeader.maxBytes <= bytes.count else {
        return bytes.count >= maxBytes ? false : nil
      }
      guard let header = try? BoxHeader(bytes[place...], left: .max - place) else { return false }
      let isFirst = place == 0
      switch header.type {
      case "ftyp", "styp": break
      case "moov" where !isFirst && header.size <= maxBytes - place:
        guard place + header.size <= bytes.count else { return nil }
        let body = bytes[place + header.headerSize..<place + header.size]
        let head = try? MovieHead(Box(type: header.type, body: body))
        return head?.isAllOfAFilm ?? false
      case "free", "skip", "wide", "uuid": if isFirst { return false }
      default: return false
      }
      guard header.size < maxBytes else { return false }
      place += header.size
    }
    return false
  }
}

extension MovieHead {
  /// Whether the file contains one picture, at most one sound, and nothing else. All their samples
  /// must be in fragments.
  package var isAllOfAFilm: Bool {
    let pictures = tracks.count { $0.description.isVideo }
    return pictures == 1 && tracks.count - pictures <= 1 && samples == 0 && others.isEmpty
  }
}
