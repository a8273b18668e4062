/// Tells video and audio from pages and pictures by the first bytes of a body.
extension BodyKind {
  /// Returns the fault if a body that begins with `bytes` is neither video nor audio; nil if it can
  /// be video or audio. The media type `type` is often wrong, so it is ignored if the bytes are
  /// those of video or audio.
  ///
  /// - Parameter isSegment: true for a segment of a stream, as in `RangeRequest.isSegment`.
  static func refusal(
    of bytes: [UInt8], called type: String, isSegment: Bool = false
  ) -> ResponseFault? {
    if isFilm(bytes) { return nil }
    let byBytes = refusal(ofBeginning: bytes)
    if isSegment, isPicture(bytes) || byBytes == nil && !isText(bytes[...]) { return nil }
    let byType = refusal(of: type)
    // A manifest begins like any other XML, so its media type says more than its bytes.
    if case .list? = byType { return byType }
    if case .list? = byBytes { return byBytes }
    let isNote = type.hasPrefix("text/") && !bytes.isEmpty && isText(bytes.prefix(head))
    return byType ?? byBytes ?? (isNote ? .notMedia(contentType: type.tamed) : nil)
  }

  /// Returns the fault if video and audio never have this media type; nil if they can have it.
  ///
  /// - Parameter isSegment: true for a segment of a stream. It can have the type of a picture or a
  ///   font: some sites disguise segments like this, and no login page has such a type.
  static func refusal(of type: String, isSegment: Bool) -> ResponseFault? {
    guard !isSegment || !type.hasPrefix("image/") && !type.hasPrefix("font/") else { return nil }
    return refusal(of: type)
  }

  /// Whether the first bytes are those of a known kind of video or audio.
  package static func isFilm(_ bytes: [UInt8]) -> Bool {
    guard !isPicture(bytes) else { return false }
    if films.contains(where: bytes.starts(with:)) { return true }
    if bytes.starts(with: "RIFF".utf8), bytes.count >= 12 { return true }
    if bytes.count >= 8 {
      // A size stands beside these words. The first byte of the size is no printable character, so
      // the word is no part of a text.
      if bytes[0] < 0x20, boxes.contains(Array(bytes[4..<8])) { return true }
      if bytes[4] < 0x20, bytes.starts(with: "FORM".utf8) { return true }
    }
    return isTransport(bytes) || isFrame(bytes)
  }

  /// Whether the first bytes are those of a picture. Some pictures, such as AVIF, have the boxes of
  /// MP4.
  static func isPicture(_ bytes: [UInt8]) -> Bool {
    if pictures.contains(where: bytes.starts(with:)) { return true }
    guard bytes.count >= 12 else { return false }
    if bytes.starts(with: "RIFF".utf8) { return bytes[8..<12].elementsEqual("WEBP".utf8) }
    return bytes[4..<8].elementsEqual("ftyp".utf8)
      && ["avif", "avis", "heic", "heix", "mif1", "msf1"].contains {
        bytes[8..<12].elementsEqual($0.utf8)
      }
  }

  /// Whether the first bytes are those of HTML or XML: only text, which begins like a tag. Video
  /// and audio never begin like that.
  package static func isMarkup(_ bytes: [UInt8]) -> Bool {
    let text = withoutMark(bytes).prefix(head)
    guard let second = text.dropFirst().first, text.first == 0x3C else { return false }
    let isTag = second == 0x21 || second == 0x3F || isLetter(second)
    return isTag && isText(text)
  }

  /// Whether a small document is a web page: its bytes say so, or else its type says so and its
  /// bytes are not those of a picture, video, audio, JSON, subtitles or a list.
  package static func isPage(_ bytes: [UInt8], called type: String) -> Bool {
    let start = withoutMark(bytes).prefix(head).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    func begins(_ word: String) -> Bool { start.starts(with: word.utf8) }
    if ["<!doctype html", "<html", "<head", "<body", "<script", "<!--"].contains(where: begins) {
      return true
    }
    guard type.lowercased().contains("html") else { return false }
    let others = ["webvtt", "#extm3u", "<?xml", "<tt", "1\n", "1\r", "0\n", "0\r"]
    return !isPicture(bytes) && !isFilm(bytes) && !isJSON(bytes)
      && !others.contains(where: begins)
  }

  /// Whether the first bytes are those of a JSON document.
  static func isJSON(_ bytes: [UInt8]) -> Bool {
    let text = withoutMark(bytes).prefix(head)
    guard let first = text.first, first == 0x7B || first == 0x5B, isText(text) else { return false }
    let next = text.dropFirst().first { !isBlank($0) }
    return next == 0x22 || next == 0x7B || next == 0x7D || next == 0x5D
  }

  /// Returns the bytes without a byte order mark and white space at their beginning. For UTF-16,
  /// returns only every second byte, which is enough to recognize a tag.
  static func withoutMark(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      let place = bytes[0] == 0xFF ? 2 : 3
      return stride(from: place, to: bytes.count, by: 2).map { bytes[$0] }.drop(while: isBlank)
    }
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    return text.drop(while: isBlank)
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte & 0xDF)
  }

  static func isText(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || isBlank($0) }
  }

  /// Whether the bytes begin with a packet of an MPEG transport stream. Its sync byte is also the
  /// letter G, so text is ruled out.
  private static func isTransport(_ bytes: [UInt8]) -> Bool {
    let place = bytes.count > 8 && bytes[0] != 0x47 && bytes[4] == 0x47 ? 4 : 0
    guard bytes.count >= place + 4, bytes[place] == 0x47 else { return false }
    return bytes[place + 1] & 0x80 == 0 && bytes[place + 3] & 0x30 != 0 && !isText(bytes[...])
  }

  /// Whether the bytes begin with a frame of MPEG audio or ADTS. The byte order mark of UTF-16
  /// looks like such a frame, so it is ruled out.
  private static func isFrame(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 4, bytes[0] == 0xFF, bytes[1] & 0xE0 == 0xE0 else { return false }
    return bytes[1] & 0x18 != 0x08 && !bytes.starts(with: [0xFF, 0xFE]) && bytes[2] != 0xFF
  }

  private static let films: [[UInt8]] = [
    [0x1A, 0x45, 0xDF, 0xA3], [0x1F, 0x43, 0xB6, 0x75], Array("OggS".utf8), Array("ID3".utf8),
    Array("fLaC".utf8), Array("FLV\u{1}".utf8), [0x30, 0x26, 0xB2, 0x75], [0, 0, 1, 0xBA],
    [0, 0, 1, 0xB3], [0x0B, 0x77], [0x7F, 0xFE, 0x80, 0x01], Array("#!AMR".utf8),
    Array(".RMF".utf8), Array("wvpk".utf8), Array("MAC ".utf8), Array("caff".utf8),
    Array("DSD ".utf8), Array(".snd".utf8), [0x06, 0x0E, 0x2B, 0x34],
  ]

  private static let pictures: [[UInt8]] = [
    [0xFF, 0xD8, 0xFF], [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], Array("GIF87a".utf8),
    Array("GIF89a".utf8),
  ]

  /// The names of boxes with which an MP4 or a segment of it begins.
  private static let boxes: Set<[UInt8]> = Set(
    [
      "ftyp", "styp", "moov", "moof", "mdat", "sidx", "emsg", "prft", "free", "skip", "wide",
      "pnot",
    ].map { Array($0.utf8) })
}
