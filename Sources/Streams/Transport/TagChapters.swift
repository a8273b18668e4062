/// Reads chapters from ID3 tags (ID3v2 Chapter Frame Addendum 1.0).
package enum TagChapters {
  /// Returns the chapters in the tags at the beginning of packed audio, in the order of their
  /// times.
  package static func chapters(in bytes: [UInt8]) -> [StreamChapter] {
    var all: [StreamChapter] = []
    var rest = bytes[...]
    while let tag = IdentificationTag(rest) {
      let isOld = rest.dropFirst(3).first == 3
      for frame in frames(in: rest.dropFirst(10).prefix(tag.length - 10), isOld: isOld) {
        guard all.count < PlaylistLimits.chapters else { break }
        if frame.name == "CHAP", let chapter = chapter(frame.content, isOld: isOld) {
          all.append(chapter)
        }
      }
      rest = rest.dropFirst(tag.length)
    }
    return all.sorted { $0.start < $1.start }
  }

  private static func frames(
    in bytes: ArraySlice<UInt8>, isOld: Bool
  ) -> [(name: String, content: ArraySlice<UInt8>)] {
    var frames: [(String, ArraySlice<UInt8>)] = []
    var rest = bytes
    while rest.count > 10, rest.first != 0, frames.count < StreamLimit.boxes.value {
      let head = Array(rest.prefix(10))
      // Sizes have 32 bits in version 2.3, and 28 bits in version 2.4.
      let bits = isOld ? 8 : 7
      let size = head[4..<8].reduce(0) { $0 << bits | Int($1) & (isOld ? 0xFF : 0x7F) }
      guard size <= rest.count - 10 else { break }
      frames.append(
        (String(decoding: head[..<4], as: UTF8.self), rest.dropFirst(10).prefix(size)))
      rest = rest.dropFirst(10 + size)
    }
    return frames
  }

  /// Reads a chapter: an identifier, two times and two offsets, and frames, one of which is the
  /// title.
  private static func chapter(_ content: ArraySlice<UInt8>, isOld: Bool) -> StreamChapter? {
    guard let end = content.firstIndex(of: 0) else { return nil }
    let rest = content[(end + 1)...]
    guard rest.count > 16 else { return nil }
    let start = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    let parts = frames(in: rest.dropFirst(16), isOld: isOld)
    guard let title = parts.first(where: { $0.name == "TIT2" }).map({ text($0.content) }),
      !title.isEmpty
    else { return nil }
    return StreamChapter(start: start * MediaTime.millisecond, title: String(title.prefix(200)))
  }

  /// Returns the text of a frame. Its first byte tells the encoding.
  private static func text(_ content: ArraySlice<UInt8>) -> String {
    let bytes = Array(content.dropFirst())
    let text: String
    switch content.first {
    case 1, 2:
      let isLittle = bytes.starts(with: [0xFF, 0xFE])
      let hasMark = isLittle || bytes.starts(with: [0xFE, 0xFF])
      let units = stride(from: hasMark ? 2 : 0, to: bytes.count - 1, by: 2).map { place in
        UInt16(bytes[place]) << (isLittle ? 0 : 8) | UInt16(bytes[place + 1]) << (isLittle ? 8 : 0)
      }
      text = String(decoding: units, as: UTF16.self)
    case 3: text = String(decoding: bytes, as: UTF8.self)
    default: text = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
    return String(text.prefix { $0 != "\0" }.filter { !$0.isNewline })
  }
}
