import TestSupport
import Testing

@testable import Streams

/// Writes a transport stream anew, with its pictures and sounds in other PES packets.
struct Remux {
  /// How the bytes of a stream are divided into PES packets.
  enum Packing: CustomTestStringConvertible, Sendable {
    /// As the source has them.
    case asTheyAre
    /// So many of the source's packets in one, of which the first tells the time.
    case several(Int)
    /// Each packet in so many, of which the first tells the time.
    case parts(Int)
    /// A packet each so many bytes. It tells the time of the first sample that begins in it.
    case bytes(Int)

    var testDescription: String {
      switch self {
      case .asTheyAre: "as they are"
      case .several(let count): "\(count) in a packet"
      case .parts(let count): "in \(count) packets"
      case .bytes(let count): "in packets of \(count) bytes"
      }
    }
  }

  /// A PES packet of the source, or one that is written.
  private struct Unit {
    var stream: Int
    var stamp: PacketStamp?
    var bytes: [UInt8]
    /// The samples that begin in it.
    var samples: [(place: Int, stamp: PacketStamp)]
    var kind: UInt8
  }

  private var tables: [[UInt8]] = []
  private var units: [Unit] = []
  private let pictures: Int?

  /// - Parameter codec: that of the sound.
  init(_ source: [UInt8], sound codec: SoundFrame.Codec?) throws {
    var programs = ProgramTables()
    var open: [Int: (bytes: [UInt8], place: Int)] = [:]
    var all: [(place: Int, stream: Int, bytes: [UInt8])] = []
    for place in stride(from: 0, to: source.count, by: 188) {
      guard let packet = TransportPacket(source[...], at: place) else { continue }
      if programs.holds(packet.stream) {
        if programs.streams == nil { tables.append(Array(source[place..<place + 188])) }
        try programs.take(packet)
      } else if packet.isStart {
        if let unit = open[packet.stream] { all.append((unit.place, packet.stream, unit.bytes)) }
        open[packet.stream] = (Array(packet.payload), place)
      } else {
        open[packet.stream]?.bytes += packet.payload
      }
    }
    for (stream, unit) in open { all.append((unit.place, stream, unit.bytes)) }
    let streams = programs.streams ?? []
    pictures = streams.first { if case .picture = $0.kind { true } else { false } }?.stream
    for (_, stream, bytes) in all.sorted(by: { $0.place < $1.place })
    where streams.contains(where: { $0.stream == stream }) {
      guard let unit = PacketizedUnit(bytes[...]), let time = unit.presentation else { continue }
      let stamp = PacketStamp(presentation: time, decoding: unit.decoding ?? time)
      var samples = [(place: 0, stamp: stamp)]
      if stream != pictures, let codec {
        samples = []
        var (place, passed) = (0, 0)
        let content = Array(unit.bytes)
        while place < content.count, let frame = try SoundFrame.read(content[place...], as: codec) {
          let time = stamp.presentation + passed * TimeStamp.scale / frame.rate
          samples.append((place, PacketStamp(presentation: time, decoding: time)))
          passed += frame.samples
          place += frame.length
        }
      }
      units.append(
        Unit(
          stream: stream, stamp: stamp, bytes: Array(unit.bytes), samples: samples, kind: bytes[3]))
    }
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
