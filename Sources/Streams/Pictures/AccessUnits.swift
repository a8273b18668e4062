/// Presentation time and decoding time of a PES packet, of 33 bits each.
struct PacketStamp: Equatable {
  let presentation: Int
  let decoding: Int
}

/// The bytes of one picture, or of one field of an interlaced frame, as the stream has them.
struct AccessUnit: Equatable {
  var bytes: [UInt8] = []
  /// The ranges of the NAL units in `bytes`, without start codes.
  var units: [Range<Int>] = []
  /// The times of the PES packet in which this picture begins; nil if another picture begins
  /// earlier in the packet, or if the packet has no times.
  var stamp: PacketStamp?
}

/// Divides the bytes of one stream into pictures, wherever its packets end (H.264 §7.4.1.2.3, HEVC
/// §7.4.2.4.4).
struct AccessUnits {
  private let codec: PictureCodec
  /// The bytes of the picture that is not complete yet, and any bytes before its first unit.
  private var bytes: [UInt8] = []
  /// The place of the first byte of `bytes` in the stream.
  private var base = 0
  /// The place in `bytes` up to which start codes were searched.
  private var scanned = 0
  /// The places of the picture's start codes in `bytes`.
  private var starts: [Int] = []
  private var hasSlice = false
  private var stamps: [(place: Int, stamp: PacketStamp)] = []
  /// The number of bytes that are in no picture: they came before the first start code.
  private(set) var lost = 0

  init(_ codec: PictureCodec) {
    self.codec = codec
  }

  /// Whether a picture has begun whose end was not seen yet.
  var isOpen: Bool { !starts.isEmpty }

  /// Receives the next bytes of the stream, and returns the pictures that are now complete.
  ///
  /// - Parameter stamp: the times of the first picture that begins in these bytes or later.
  mutating func take(_ more: ArraySlice<UInt8>, _ stamp: PacketStamp?) throws(StreamError)
    -> [AccessUnit]
  {
    if let stamp { stamps.append((base + bytes.count, stamp)) }
    bytes += more
    guard bytes.count <= StreamLimit.slot.value else { throw .tooLarge(StreamLimit.slot.rawValue) }
    return scan(isAll: false)
  }

  /// Ends the stream: no more bytes come. Returns the last pictures.
  mutating func finish() -> [AccessUnit] {
    var whole = scan(isAll: true)
    if !starts.isEmpty { whole.append(close(at: bytes.count)) }
    lost += bytes.count { $0 != 0 }
    bytes = []
    return whole
  }

  private mutating func scan(isAll: Bool) -> [AccessUnit] {
    var whole: [AccessUnit] = []
    while let start = StartCode.next(in: bytes[...], from: scanned) {
      let head = bytes[(start + 3)...].prefix(StartCode.head)
      guard isAll || head.count == StartCode.head else {
        scanned = start
        return whole
      }
      scanned = start + 3
      let begin = codec.begin(of: head)
      let isNext: Bool
      switch begin {
      case .delimiter: isNext = !starts.isEmpty
      case .ahead, .picture: isNext = hasSlice
      case .slice, .other: isNext = false
      }
      if isNext {
        let first = StartCode.first(start, in: bytes)
        whole.append(close(at: first))
        scanned -= first
      } else if starts.isEmpty {
        drop(StartCode.first(start, in: bytes))
      }
      starts.append(scanned - 3)
      switch begin {
      case .picture, .slice: hasSlice = true
      case .delimiter, .ahead, .other: break
      }
    }
    scanned = max(scanned, bytes.count - 2)
    return whole
  }

  /// Removes the `count` bytes before the first start code.
  private mutating func drop(_ count: Int) {
    lost += bytes[..<count].count { $0 != 0 }
    bytes.removeFirst(count)
    base += count
    scanned -= count
  }

  /// Ends the picture before the byte at `end`. The next picture begins there.
  private mutating func close(at end: Int) -> AccessUnit {
    var unit = AccessUnit(bytes: Array(bytes[..<end]))
    for (number, start) in starts.enumerated() {
      let next = number + 1 < starts.count ? starts[number + 1] : end
      var last = next
      while last > start + 3, unit.bytes[last - 1] == 0 { last -= 1 }
      if last > start + 3 { unit.units.append(start + 3..<last) }
    }
    // If several packets with times begin before the picture, the times of the last packet are
    // used.
    while let first = stamps.first, first.place <= base {
      unit.stamp = first.stamp
      stamps.removeFirst()
    }
    bytes.removeFirst(end)
    base += end
    (starts, hasSlice) = ([], false)
    return unit
  }
}

/// Finds start codes, the bytes between NAL units (Annex B of H.264 and of HEVC).
enum StartCode {
  /// How many bytes after a start code show whether a picture begins.
  static let head = 3

  /// Returns the place of the first byte of a picture whose first start code is at `start`. A zero
  /// byte before it belongs to the picture (H.264 §B.1.1, `zero_byte`).
  static func first(_ start: Int, in bytes: [UInt8]) -> Int {
    start > 0 && bytes[start - 1] == 0 ? start - 1 : start
  }

  /// Returns the place of the next start code at `place` or after it; nil if there is no complete
  /// start code.
  static func next(in bytes: ArraySlice<UInt8>, from place: Int) -> Int? {
    let (first, content) = (bytes.startIndex, bytes.span)
    var at = max(0, place - first)
    while at + 2 < content.count {
      let third = content[at + 2]
      if third == 0 {
        at += 1
        continue
      }
      if third == 1, content[at] == 0, content[at + 1] == 0 { return first + at }
      at += 3
    }
    return nil
  }
}

extension PictureCodec {
  /// The kinds of NAL units that show where a picture begins.
  enum Begin {
    /// A delimiter, which is the first unit of a picture.
    case delimiter
    /// Parameters or information. If they come after a slice, they belong to the next picture.
    case ahead
    /// The first slice of a picture.
    case picture
    case slice
    case other
  }

  /// - Parameter head: the first `StartCode.head` bytes of the unit, or fewer if it is shorter.
  func begin(of head: ArraySlice<UInt8>) -> Begin {
    let bytes = Array(head)
    guard let first = bytes.first else { return .other }
    switch self {
    case .h264:
      switch first & 31 {
      case 1, 2, 5: return bytes.count > 1 && bytes[1] & 0x80 != 0 ? .picture : .slice
      case 3, 4: return .slice
      case 6, 7, 8, 15...18: return .ahead
      case 9: return .delimiter
      default: return .other
      }
    case .hevc:
      let layer = bytes.count > 1 ? Int(first & 1) << 5 | Int(bytes[1] >> 3) : 0
      switch first >> 1 & 63 {
      case 0...31 where layer == 0:
        return bytes.count > 2 && bytes[2] & 0x80 != 0 ? .picture : .slice
      case 0...31: return .other
      case 32, 33, 34, 39, 41...44, 48...55: return layer == 0 ? .ahead : .other
      case 35: return .delimiter
      default: return .other
      }
    }
  }
}
