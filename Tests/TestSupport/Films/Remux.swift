/// Writes a transport stream anew, with its pictures and sounds in other PES packets.
///
/// The source is one that ffmpeg has made. It is read here without the product's own parsers, so that one
/// fault is not in both.
struct Remux {
  /// How the bytes of a stream are divided into PES packets.
  enum Packing: Sendable {
    /// As the source has them.
    case asTheyAre
    /// So many of the source's packets in one, of which the first tells the time.
    case several(Int)
    /// Each packet in so many, of which the first tells the time.
    case parts(Int)
    /// A packet each so many bytes. It tells the time of the first sample that begins in it.
    case bytes(Int)
  }

  /// The times of a packet, in ticks of 90 kHz.
  private struct Stamp {
    var presentation: Int
    var decoding: Int
  }

  /// A PES packet of the source, or one that is written.
  private struct Unit {
    var stream: Int
    var stamp: Stamp?
    var bytes: [UInt8]
    /// The samples that begin in it.
    var samples: [(place: Int, stamp: Stamp)]
    var kind: UInt8
  }

  private var tables: [[UInt8]] = []
  private var units: [Unit] = []
  private let pictures: Int?

  /// Where ffmpeg puts the tables, and its first stream.
  private static let program = 0
  private static let map = 0x1000
  private static let first = 0x100

  /// - Parameters:
  ///   - hasPicture: whether its first stream is a picture.
  ///   - codec: that of the sound.
  init(_ source: [UInt8], hasPicture: Bool, sound codec: SoundHeader.Codec?) {
    pictures = hasPicture ? Self.first : nil
    var open: [Int: (bytes: [UInt8], place: Int)] = [:]
    var all: [(place: Int, stream: Int, bytes: [UInt8])] = []
    for place in stride(from: 0, to: source.count, by: 188) {
      let packet = source[place..<place + 188]
      let stream = Int(packet[place + 1] & 31) << 8 | Int(packet[place + 2])
      if stream == Self.program || stream == Self.map {
        if tables.count < 2 { tables.append(Array(packet)) }
        continue
      }
      guard stream >= Self.first, stream < Self.map, packet[place + 3] & 0x10 != 0 else { continue }
      let skipped = packet[place + 3] & 0x20 != 0 ? 1 + Int(packet[place + 4]) : 0
      let payload = packet.dropFirst(4 + skipped)
      if packet[place + 1] & 0x40 != 0 {
        if let unit = open[stream] { all.append((unit.place, stream, unit.bytes)) }
        open[stream] = (Array(payload), place)
      } else {
        open[stream]?.bytes += payload
      }
    }
    for (stream, unit) in open { all.append((unit.place, stream, unit.bytes)) }
    for (_, stream, bytes) in all.sorted(by: { $0.place < $1.place }) {
      guard let stamp = Self.stamp(of: bytes) else { continue }
      let content = Array(bytes.dropFirst(9 + Int(bytes[8])))
      var samples = [(place: 0, stamp: stamp)]
      if stream != pictures, let codec {
        samples = []
        var (place, passed) = (0, 0)
        while let frame = SoundHeader(content[place...], codec) {
          let time = stamp.presentation + passed * 90_000 / frame.rate
          samples.append((place, Stamp(presentation: time, decoding: time)))
          passed += frame.samples
          place += frame.length
        }
      }
      units.append(
        Unit(stream: stream, stamp: stamp, bytes: content, samples: samples, kind: bytes[3]))
    }
  }

  /// Returns the times in the head of a PES packet; nil if it tells none.
  private static func stamp(of bytes: [UInt8]) -> Stamp? {
    func time(at place: Int) -> Int {
      Int(bytes[place] >> 1 & 7) << 30 | Int(bytes[place + 1]) << 22
        | Int(bytes[place + 2] >> 1) << 15 | Int(bytes[place + 3]) << 7 | Int(bytes[place + 4] >> 1)
    }
    guard bytes.count >= 14, bytes[7] & 0x80 != 0 else { return nil }
    let presentation = time(at: 9)
    let hasBoth = bytes[7] & 0x40 != 0 && bytes.count >= 19
    return Stamp(presentation: presentation, decoding: hasBoth ? time(at: 14) : presentation)
  }

  /// Returns the stream.
  ///
  /// - Parameter tablesAt: bytes that come before the tables.
  func stream(_ picture: Packing, _ sound: Packing, tablesAt: Int = 0) -> [UInt8] {
    var written: [UInt8] = []
    var counters: [Int: UInt8] = [:]
    var hasTables = false
    var shown = 0
    var waiting: [Int: Unit] = [:]
    func writeTables() {
      for table in tables {
        var table = table
        let stream = Int(table[1] & 31) << 8 | Int(table[2])
        table[3] = table[3] & 0xF0 | counters[stream, default: 0]
        counters[stream] = (counters[stream, default: 0] + 1) & 15
        written += table
      }
      hasTables = true
    }
    func write(_ unit: Unit) {
      if !hasTables, written.count >= tablesAt { writeTables() }
      if unit.stream == pictures {
        shown += 1
        if hasTables, shown % 25 == 0 { writeTables() }
      }
      Self.write(unit, &written, &counters, isPicture: unit.stream == pictures)
    }
    for unit in units {
      let packing = unit.stream == pictures ? picture : sound
      switch packing {
      case .asTheyAre: write(unit)
      case .several(let count):
        var whole = waiting[unit.stream] ?? unit
        if waiting[unit.stream] != nil {
          whole.bytes += unit.bytes
          whole.samples += unit.samples
        }
        waiting[unit.stream] = whole
        if whole.samples.count >= count {
          write(whole)
          waiting[unit.stream] = nil
        }
      case .parts(let count):
        let size = max(1, (unit.bytes.count + count - 1) / count)
        for start in stride(from: 0, to: unit.bytes.count, by: size) {
          var part = unit
          part.bytes = Array(unit.bytes[start..<min(unit.bytes.count, start + size)])
          if start > 0 { part.stamp = nil }
          write(part)
        }
      case .bytes(let count):
        var whole = waiting[unit.stream] ?? unit
        if waiting[unit.stream] != nil {
          whole.samples += unit.samples.map { ($0.place + whole.bytes.count, $0.stamp) }
          whole.bytes += unit.bytes
        }
        while whole.bytes.count >= count {
          var part = whole
          part.bytes = Array(whole.bytes[..<count])
          part.stamp = whole.samples.first { $0.place < count }?.stamp
          write(part)
          whole.bytes.removeFirst(count)
          whole.samples = whole.samples.filter { $0.place >= count }
            .map { ($0.place - count, $0.stamp) }
        }
        waiting[unit.stream] = whole
      }
    }
    for var unit in waiting.values.sorted(by: { $0.stream < $1.stream }) where !unit.bytes.isEmpty {
      if case .bytes = unit.stream == pictures ? picture : sound {
        unit.stamp = unit.samples.first?.stamp
      }
      write(unit)
    }
    return written
  }

  private static func write(
    _ unit: Unit, _ written: inout [UInt8], _ counters: inout [Int: UInt8], isPicture: Bool
  ) {
    var head: [UInt8] = []
    if let stamp = unit.stamp {
      head = time(stamp.presentation, stamp.decoding == stamp.presentation ? 2 : 3)
      if stamp.decoding != stamp.presentation { head += time(stamp.decoding, 1) }
    }
    let length = isPicture ? 0 : unit.bytes.count + 3 + head.count
    let flags: UInt8 = head.count == 10 ? 0xC0 : head.isEmpty ? 0 : 0x80
    var bytes: [UInt8] =
      [0, 0, 1, unit.kind, UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), 0x80, flags]
      + [UInt8(head.count)] + head + unit.bytes
    var isStart = true
    while !bytes.isEmpty {
      let counter = counters[unit.stream, default: 0]
      counters[unit.stream] = (counter + 1) & 15
      let stream = unit.stream
      var packet: [UInt8] = [
        0x47, UInt8(stream >> 8) | (isStart ? 0x40 : 0), UInt8(stream & 0xFF), 0x10 | counter,
      ]
      let room = 184
      if bytes.count < room {
        let stuffing = room - bytes.count
        packet[3] |= 0x20
        packet.append(UInt8(stuffing - 1))
        if stuffing > 1 { packet += [0] + [UInt8](repeating: 0xFF, count: stuffing - 2) }
        packet += bytes
        bytes = []
      } else {
        packet += bytes[..<room]
        bytes.removeFirst(room)
      }
      written += packet
      isStart = false
    }
  }

  private static func time(_ time: Int, _ mark: UInt8) -> [UInt8] {
    [
      mark << 4 | UInt8(time >> 30 & 7) << 1 | 1, UInt8(time >> 22 & 0xFF),
      UInt8(time >> 15 & 0x7F) << 1 | 1, UInt8(time >> 7 & 0xFF), UInt8(time & 0x7F) << 1 | 1,
    ]
  }
}
