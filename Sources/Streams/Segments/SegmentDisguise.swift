/// Finds the image that some sites put before a segment to disguise it.
///
/// The image is skipped only if the beginning of a segment follows it.
package enum SegmentDisguise: Equatable, Sendable {
  /// There is no image: the segment begins with the first byte.
  case none
  /// More bytes are needed to decide.
  case unfinished
  /// The segment begins after this many bytes.
  case ends(Int)

  /// The limit for the bytes of an image. Sites use small images.
  package static let maxBytes = 256 << 10
  /// The limit for the useless bytes between an image and the segment.
  private static let maxFillingBytes = 1 << 10
  /// How many bytes are enough to recognise a segment.
  private static let enough = 400

  /// - Parameter bytes: the first bytes of a resource.
  package init(beginning bytes: [UInt8]) {
    let limited = bytes.prefix(Self.maxBytes + Self.maxFillingBytes + Self.enough)
    var reader = Reader(bytes: limited)
    let end: Int?
    if limited.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      end = reader.endOfPNG()
    } else if limited.starts(with: [0xFF, 0xD8, 0xFF]) {
      end = reader.endOfJPEG()
    } else {
      self = .none
      return
    }
    guard let end else {
      self = reader.isBroken || bytes.count >= Self.maxBytes ? .none : .unfinished
      return
    }
    guard end <= Self.maxBytes else {
      self = .none
      return
    }
    if let begin = Self.beginning(in: limited, from: end) {
      self = .ends(begin)
    } else {
      self = bytes.count < end + Self.maxFillingBytes + Self.enough ? .unfinished : .none
    }
  }

  /// Returns `bytes` without the image before the segment, if there is one.
  package static func without(_ bytes: [UInt8]) -> [UInt8] {
    guard case .ends(let count) = SegmentDisguise(beginning: bytes) else { return bytes }
    return Array(bytes.dropFirst(count))
  }

  /// Returns where a segment begins, at `end` or shortly after it; nil if no segment begins there.
  private static func beginning(in bytes: ArraySlice<UInt8>, from end: Int) -> Int? {
    guard end < bytes.endIndex else { return nil }
    switch StreamContainer(beginning: bytes[end...]) {
    case .mp4, .webM, .transport: return end
    // Useless bytes of 0xFF look like the sync word of a frame, so they are excluded here.
    case .packedAudio where !bytes[end...].starts(with: [0xFF, 0xFF]): return end
    case .packedAudio, .text, .unknown: break
    }
    // Packets of 188 bytes can come after useless bytes, or after the rest of a packet that was
    // cut.
    let last = min(end + maxFillingBytes, bytes.endIndex - 377)
    let packet = (end..<max(end, last)).first { place in
      bytes[place] == 0x47 && bytes[place + 188] == 0x47 && bytes[place + 376] == 0x47
    }
    guard let packet, packet - end < 188, !bytes[end..<packet].allSatisfy({ $0 == 0xFF }) else {
      return packet
    }
    return end
  }

  /// Walks through the parts of an image.
  private struct Reader {
    let bytes: ArraySlice<UInt8>
    private(set) var isBroken = false

    init(bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    private func number(_ count: Int, at place: Int) -> Int? {
      guard place + count <= bytes.endIndex else { return nil }
      return bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
    }

    /// Returns the end of the image's last chunk, IEND; nil if the bytes end before it, or if the
    /// image is broken.
    mutating func endOfPNG() -> Int? {
      var place = 8
      while let length = number(4, at: place), let name = number(4, at: place + 4) {
        guard length <= maxBytes else {
          isBroken = true
          return nil
        }
        place += length + 12  // with its length, its name and its checksum
        if name == 0x4945_4E44 { return place }  // IEND
      }
      return nil
    }

    /// Returns the end of the image's last marker, EOI; nil if the bytes end before it, or if the
    /// image is broken.
    mutating func endOfJPEG() -> Int? {
      var place = 2
      while let marker = number(2, at: place) {
        if marker == 0xFFD9 { return place + 2 }
        if marker == 0xFFFF {
          place += 1
          continue
        }
        guard marker >= 0xFF01, let length = number(2, at: place + 2), length >= 2 else {
          isBroken = marker < 0xFF01 || place + 4 <= bytes.endIndex
          return nil
        }
        place += 2 + length
        if marker == 0xFFDA { place = endOfScan(from: place) }
      }
      return nil
    }

    /// Returns the place of the next marker after the coded data at `start`. In coded data, 0xFF is
    /// always followed by 0 or by a restart marker.
    private func endOfScan(from start: Int) -> Int {
      var place = start
      while place + 1 < bytes.endIndex {
        let next = bytes[place + 1]
        if bytes[place] == 0xFF, next != 0, !(0xD0...0xD7).contains(next) { return place }
        place += 1
      }
      return bytes.endIndex
    }
  }
}
