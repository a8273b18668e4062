import TestSupport

@testable import Streams

/// Frames of sound with bytes of chance in them, and a transport stream that has nothing else.
struct PlainSound {
  static let number = 0x101

  /// The frames as they lie in a film.
  private(set) var frames: [[UInt8]] = []
  /// Their times in ticks.
  private(set) var times: [Int] = []
  /// The frames as they lie in a stream.
  private(set) var bytes: [UInt8] = []
  private var starts: [Int] = []

  init(_ codec: SoundFrame.Codec, frames count: Int) {
    var random = SeededRandom(seed: 5)
    func filled(_ head: [UInt8], to length: Int) -> [UInt8] {
      head + (head.count..<length).map { _ in UInt8(random.below(256)) }
    }
    for number in 0..<count {
      let coded: [UInt8]
      var own: ArraySlice<UInt8>
      let ticks: Int
      switch codec {
      case .aac:
        let length = 107 + random.below(200)
        coded = filled(
          [
            0xFF, 0xF1, 0x4C, UInt8(0x80 | length >> 11), UInt8(length >> 3 & 0xFF),
            UInt8(length & 7) << 5 | 0x1F, 0xFC,
          ], to: length)
        (own, ticks) = (coded.dropFirst(7), 1920)
      case .mpegAudio:
        coded = filled([0xFF, 0xFD, 0x44, 0x04], to: 192)
        (own, ticks) = (coded[...], 2160)
      case .ac3:
        coded = filled([0x0B, 0x77, 0, 0, 0, 0x40, 0x40, 0], to: 128)
        (own, ticks) = (coded[...], 2880)
      case .eac3:
        // The second frame belongs to the first.
        coded =
          filled([0x0B, 0x77, 0, 99, 0x34, 0x80, 0, 0], to: 200)
          + filled([0x0B, 0x77, 0x40, 59, 0x34, 0x80, 0, 0], to: 120)
        (own, ticks) = (coded[...], 2880)
      }
      starts.append(bytes.count)
      times.append(90_000 + number * ticks)
      frames.append(Array(own))
      own = []
      bytes += coded
    }
  }

  /// Returns a transport stream with a PES packet each `size` bytes, of which the first `count` tell the
  /// time of the first frame that begins in them.
  func packets(of size: Int, telling count: Int) -> [UInt8] {
    var written: [UInt8] = []
    var counter = 0
    for (number, start) in stride(from: 0, to: bytes.count, by: size).enumerated() {
      let content = bytes[start..<min(bytes.count, start + size)]
      let first = starts.firstIndex { content.indices.contains($0) }
      let time = number < count ? first.map { times[$0] } : nil
      // Heads are of one length, so that all streams are.
      var head = [UInt8](repeating: 0xFF, count: 5)
      if let time {
        head = [
          UInt8(0x21 | time >> 29 & 14), UInt8(time >> 22 & 0xFF), UInt8(time >> 14 & 0xFE | 1),
          UInt8(time >> 7 & 0xFF), UInt8(time << 1 & 0xFE | 1),
        ]
      }
      let length = content.count + 8
      var unit: [UInt8] =
        [0, 0, 1, 0xBD, UInt8(length >> 8), UInt8(length & 0xFF), 0x80, time == nil ? 0 : 0x80, 5]
        + head + content
      var isStart = true
      while !unit.isEmpty {
        let payload = unit.prefix(184)
        var packet: [UInt8] = [
          0x47, isStart ? 0x41 : 0x01, 0x01, UInt8(0x10 | counter & 15),
        ]
        let stuffing = 184 - payload.count
        if stuffing > 0 {
          packet[3] |= 0x20
          packet.append(UInt8(stuffing - 1))
          if stuffing > 1 { packet += [0] + [UInt8](repeating: 0xFF, count: stuffing - 2) }
        }
        written += packet + payload
        unit.removeFirst(payload.count)
        counter += 1
        isStart = false
      }
    }
    return written
  }

  /// Returns bytes as they are encrypted, and the vector by which they are. A cipher that only decrypts
  /// finds each block by the one behind it.
  static func encrypted(
    _ plain: [UInt8], by cipher: AES128
  ) throws -> (bytes: [UInt8], vector: [UInt8]) {
    let padding = AES128.block - plain.count % AES128.block
    let padded = plain + [UInt8](repeating: UInt8(padding), count: padding)
    var block = [UInt8](repeating: 0xA5, count: AES128.block)
    var blocks: [[UInt8]] = []
    for start in stride(from: padded.count - AES128.block, through: 0, by: -AES128.block) {
      blocks.append(block)
      let mixed = try cipher.blocks(block[...], vector: [UInt8](repeating: 0, count: AES128.block))
      block = zip(mixed, padded[start..<start + AES128.block]).map { $0 ^ $1 }
    }
    return (Array(blocks.reversed().joined()), block)
  }
}
