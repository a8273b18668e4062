/// Finds two facts in the first bytes of a media file: its playing time, and the place of the
/// container's index, which a player reads right after the head.
///
/// An MP4 file, or a file of a related format, is a sequence of boxes (ISO/IEC 14496-12 §4.2). Its
/// index is the box `moov`. Matroska and WebM files consist of nested elements (RFC 8794, RFC
/// 9559). Their index is the element `Cues`, and the element `SeekHead` tells its place.
enum ContainerHead {
  /// The type of the box with the index, "moov".
  private static let movie = 0x6d6f_6f76
  /// The least number of bytes that a head must have for the index to be looked for.
  static let minBytes = 12

  /// Returns the offset of the index in the file. Returns nil if an MP4 file has its index in
  /// front, or if the head does not show the place.
  static func indexOffset(in head: RawSpan) -> Int? {
    guard head.byteCount >= minBytes else { return nil }
    if head.number(at: 4, count: 4) == 0x6674_7970 { return offsetOfMovie(in: head) }  // "ftyp"
    if head.number(at: 0, count: 4) == 0x1a45_dfa3 { return offsetOfCues(in: head) }
    return nil
  }

  /// Returns the playing time, which is longer than 0; nil if the head does not tell it.
  static func duration(in head: RawSpan) -> Duration? {
    if head.number(at: 0, count: 4) == 0x1a45_dfa3 { return durationOfSegment(in: head) }
    var offset = 0
    while let box = Box(in: head, at: offset) {
      if box.type == movie { return durationOfMovie(in: head, at: offset) }
      offset = box.end
    }
    return nil
  }

  /// Returns the playing time from `mvhd`, the first box in the box `moov` at `offset` (ISO/IEC
  /// 14496-12 §8.2.2); nil if `mvhd` is not there.
  static func durationOfMovie(in head: RawSpan, at offset: Int) -> Duration? {
    guard let movie = Box(in: head, at: offset), movie.type == Self.movie,
      let header = Box(in: head, at: movie.start), header.type == 0x6d76_6864,  // "mvhd"
      let version = head.number(at: header.start, count: 1), version < 2
    else { return nil }
    let width = version == 1 ? 8 : 4
    let place = header.start + 4 + 2 * width
    guard let scale = head.number(at: place, count: 4), scale > 0,
      let ticks = head.number(at: place + 4, count: width), ticks < 1 << 32 - 1 || width == 8
    else { return nil }
    return plausible(Double(ticks) / Double(scale))
  }

  /// Returns the playing time from the element Info of a Matroska file; nil if the head does not
  /// tell it. The time is given in units of TimestampScale nanoseconds.
  private static func durationOfSegment(in head: RawSpan) -> Duration? {
    guard let header = Element(in: head, at: 0),
      let segment = Element(in: head, at: header.end), segment.id == 0x1853_8067
    else { return nil }
    var next = segment.start
    while let element = Element(in: head, at: next) {
      next = element.end
      guard element.id == 0x1549_a966 else { continue }
      var (scale, ticks) = (1_000_000, 0.0)
      var part = element.start
      while part < element.end, let value = Element(in: head, at: part) {
        part = value.end
        switch value.id {
        case 0x2ad7b1: scale = head.number(at: value.start, count: value.count) ?? scale
        case 0x4489: ticks = head.real(at: value.start, count: value.count) ?? 0
        default: break
        }
      }
      return plausible(ticks * Double(scale) / 1e9)
    }
    return nil
  }

  /// Returns `seconds` as a duration; nil if no media file can be that short or that long.
  private static func plausible(_ seconds: Double) -> Duration? {
    seconds >= 0.001 && seconds < 1e7 ? .seconds(seconds) : nil
  }

  /// Returns the end of the first box that reaches beyond the head. That box is the media data, so
  /// the index follows it. Returns nil if the index comes first.
  private static func offsetOfMovie(in head: RawSpan) -> Int? {
    var offset = 0
    while offset + 8 <= head.byteCount {
      guard let box = Box(in: head, at: offset), box.type != movie else { return nil }
      offset = box.end
    }
    return offset
  }

  /// Returns the offset of the Cues in a Matroska file; nil if no SeekHead in the head names it.
  private static func offsetOfCues(in head: RawSpan) -> Int? {
    guard let header = Element(in: head, at: 0),
      let segment = Element(in: head, at: header.end), segment.id == 0x1853_8067
    else { return nil }
    var next = segment.start
    while let element = Element(in: head, at: next) {
      if element.id == 0x114d_9b74 { return cues(in: head, of: element, from: segment.start) }
      guard element.end <= head.byteCount else { return nil }
      next = element.end
    }
    return nil
  }

  /// Returns the offset of the Cues that `seekHead` names; nil if it names none. The positions in a
  /// SeekHead count from `start`, the beginning of the segment's data.
  private static func cues(in head: RawSpan, of seekHead: Element, from start: Int) -> Int? {
    var next = seekHead.start
    while next < min(seekHead.end, head.byteCount), let seek = Element(in: head, at: next) {
      next = seek.end
      guard seek.id == 0x4dbb, let id = Element(in: head, at: seek.start),
        head.number(at: id.start, count: id.count) == 0x1c53_bb6b,
        let place = Element(in: head, at: id.end), place.id == 0x53ac,
        let position = head.number(at: place.start, count: place.count), position < 1 << 60
      else { continue }
      return start + position
    }
    return nil
  }

  /// An MP4 box: its type, and the place of its contents in the file.
  private struct Box {
    let type: Int
    let start: Int
    /// The offset after the box, which may lie far behind the head.
    let end: Int

    /// Reads type and length of the box at `offset`. Returns nil if the head ends before them, if
    /// the length is not valid, or if the box goes to the end of the file.
    init?(in head: RawSpan, at offset: Int) {
      guard let short = head.number(at: offset, count: 4),
        let type = head.number(at: offset + 4, count: 4)
      else { return nil }
      // A length of 1 means that a length of 64 bits follows. A length of 0 means that the box goes
      // to the end of the file.
      let length = short == 1 ? head.number(at: offset + 8, count: 8) : short
      guard let length, length >= 8, length < 1 << 60 else { return nil }
      self.type = type
      start = offset + (short == 1 ? 16 : 8)
      end = offset + length
    }
  }

  /// An EBML element: its id, with the bit that marks the id's width, and the place of its data.
  private struct Element {
    let id: Int
    let start: Int
    /// The number of bytes of the data.
    let count: Int

    var end: Int { start + count }

    /// Reads id and length of the element at `offset`. Returns nil if the head ends before them, or
    /// if no element is there. An element of unknown length counts as `1 << 60` bytes.
    init?(in head: RawSpan, at offset: Int) {
      guard let first = head.number(at: offset, count: 1), first >= 0x10 else { return nil }
      let width = UInt8(first).leadingZeroBitCount + 1
      guard let id = head.number(at: offset, count: width),
        let second = head.number(at: offset + width, count: 1), second > 0
      else { return nil }
      let size = UInt8(second).leadingZeroBitCount + 1
      guard let marked = head.number(at: offset + width, count: size) else { return nil }
      let most = 1 << (7 * size)
      self.id = id
      start = offset + width + size
      count = marked - most == most - 1 ? 1 << 60 : marked - most
    }
  }
}

extension RawSpan {
  /// Returns the big-endian number in `count` bytes from `offset` on. Returns nil if they are more
  /// than eight or out of bounds, or if the number does not fit into `Int`.
  fileprivate func number(at offset: Int, count: Int) -> Int? {
    guard 1...8 ~= count, offset >= 0, offset <= byteCount - count else { return nil }
    var value: UInt64 = 0
    for index in offset..<offset + count {
      value = value << 8 | UInt64(unsafe unsafeLoad(fromByteOffset: index, as: UInt8.self))
    }
    return Int(exactly: value)
  }

  /// Returns the big-endian floating-point number in `count` bytes from `offset` on. Returns nil if
  /// they are not four or eight, or out of bounds.
  fileprivate func real(at offset: Int, count: Int) -> Double? {
    guard count == 4 || count == 8, offset >= 0, offset <= byteCount - count else { return nil }
    let bits = (offset..<offset + count).reduce(UInt64(0)) {
      $0 << 8 | UInt64(unsafe unsafeLoad(fromByteOffset: $1, as: UInt8.self))
    }
    return count == 8
      ? Double(bitPattern: bits) : Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
  }
}
