/// Decides by its first bytes whether a film can be made of a file: a fragmented MP4 with a
/// picture, and one sound at most.
///
/// Most players read such a file to its end before they show its first picture. A file with more
/// tracks than these stays as it is, because a film would lack them.
package enum FragmentedHead {
  /// A longer head has tables of samples, and those of fragmented files are empty.
  package static let maxBytes = 64 << 10

  /// Returns nil while more bytes are needed. `maxBytes` are always enough.
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
  /// Whether a film of one picture and one sound, made of the file's fragments, has all of the file.
  package var isAllOfAFilm: Bool {
    let pictures = tracks.count { $0.description.isVideo }
    return pictures == 1 && tracks.count - pictures <= 1 && samples == 0 && others.isEmpty
  }
}
