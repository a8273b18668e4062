/// The facts in the head of a frame of coded sound: its length and configuration.
struct SoundFrame: Hashable {
  enum Codec: Hashable {
    case aac, mpegAudio, ac3, eac3

    /// The first byte of each frame.
    var sync: UInt8 {
      switch self {
      case .aac, .mpegAudio: 0xFF
      case .ac3, .eac3: 0x0B
      }
    }
  }

  /// The length of the frame in bytes, with its head.
  var length: Int
  /// The length of the head in bytes, if Matroska leaves the head out; else 0.
  var head = 0
  var samples: Int
  var rate: Int
  var channels: Int
  var codec: String
  var configuration: [UInt8] = []
  /// Whether the frame only completes the frame before it, as with further channels of E-AC-3.
  var isDependent = false

  /// The length of the longest head, in bytes.
  static let maxHeadBytes = 9

  /// Reads the head at the beginning of `bytes`; nil if no frame begins there.
  static func read(_ bytes: ArraySlice<UInt8>, as codec: Codec) throws(StreamError) -> SoundFrame? {
    switch codec {
    case .aac: try adts(bytes)
    case .mpegAudio: mpegAudio(bytes)
    case .ac3, .eac3: dolby(bytes)
    }
  }

  /// Returns the codec of the frame at the beginning of `bytes`; nil if it is not known.
  static func codec(of bytes: ArraySlice<UInt8>) -> Codec? {
    let head = Array(bytes.prefix(6))
    guard head.count >= 6 else { return nil }
    if head[0] == 0x0B, head[1] == 0x77 { return head[5] >> 3 > 10 ? .eac3 : .ac3 }
    guard head[0] == 0xFF, head[1] & 0xE0 == 0xE0 else { return nil }
    return head[1] & 0xF6 == 0xF0 ? .aac : .mpegAudio
  }

  /// The configuration that a decoder needs before the frame.
  var facts: SoundConfiguration {
    SoundConfiguration(codec: codec, rate: rate, channels: channels, bytes: configuration)
  }

  var description: TrackDescription {
    TrackDescription(
      kind: .audio(rate: rate, channels: channels), codec: codec, codecPrivate: configuration,
      timescale: TimeStamp.scale,
      defaultDuration: samples * 1_000_000_000 / rate)
  }

  /// Reads a head of AAC: ISO 13818-7 §6.2.
  private static func adts(_ bytes: ArraySlice<UInt8>) throws(StreamError) -> SoundFrame? {
    let head = Array(bytes.prefix(7))
    guard head.count == 7, head[0] == 0xFF, head[1] & 0xF6 == 0xF0 else { return nil }
    let length = Int(head[3] & 3) << 11 | Int(head[4]) << 3 | Int(head[5]) >> 5
    let own = head[1] & 1 == 1 ? 7 : 9
    let place = Int(head[2] >> 2 & 15)
    guard length > own, place < adtsRates.count else { return nil }
    let channels = Int(head[2] & 1) << 2 | Int(head[3] >> 6)
    guard head[6] & 3 == 0 else {
      throw .unsupported("the AAC sound has several blocks in a frame, which feedfs cannot read")
    }
    guard channels > 0 else {
      throw .unsupported("the AAC sound has its channels in an order that feedfs cannot read")
    }
    let kind = UInt8(head[2] >> 6) + 1
    return SoundFrame(
      length: length, head: own, samples: 1024, rate: adtsRates[place],
      channels: channels == 7 ? 8 : channels, codec: "A_AAC",
      configuration: [
        kind << 3 | UInt8(place) >> 1, UInt8(place) << 7 | UInt8(channels) << 3,
      ])
  }

  private static let adtsRates = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000,
    7350,
  ]

  /// Reads a head of MPEG audio: ISO 11172-3 §2.4.2.3, and ISO 13818-3 for lower sample rates.
  private static func mpegAudio(_ bytes: ArraySlice<UInt8>) -> SoundFrame? {
    let head = Array(bytes.prefix(4))
    guard head.count == 4, head[0] == 0xFF, head[1] & 0xE0 == 0xE0 else { return nil }
    let version = Int(head[1] >> 3 & 3)
    let layer = 4 - Int(head[1] >> 1 & 3)
    let place = Int(head[2] >> 2 & 3)
    guard version != 1, layer == 2 || layer == 3, place < 3 else { return nil }
    let isHalf = version != 3
    let rates = layer == 2 ? (isHalf ? halfRates : secondRates) : isHalf ? halfRates : thirdRates
    let bitrate = rates[Int(head[2] >> 4)] * 1000
    guard bitrate > 0 else { return nil }
    let rate = [44_100, 48_000, 32_000][place] / (version == 3 ? 1 : version == 2 ? 2 : 4)
    let samples = layer == 3 && isHalf ? 576 : 1152
    let padding = Int(head[2] >> 1 & 1)
    return SoundFrame(
      length: samples / 8 * bitrate / rate + padding, samples: samples, rate: rate,
      channels: head[3] >> 6 == 3 ? 1 : 2, codec: layer == 3 ? "A_MPEG/L3" : "A_MPEG/L2")
  }

  private static let secondRates = [
    0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 0,
  ]
  private static let thirdRates = [
    0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0,
  ]
  private static let halfRates = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0]

  /// Reads a head of AC-3 (ETSI TS 102 366 §4.3) or E-AC-3 (§E.1.3). The version of the bitstream
  /// shows which of the two it is.
  private static func dolby(_ bytes: ArraySlice<UInt8>) -> SoundFrame? {
    let head = Array(bytes.prefix(8))
    guard head.count == 8, head[0] == 0x0B, head[1] == 0x77 else { return nil }
    let version = head[5] >> 3
    let rate = Int(head[4] >> 6)
    if version <= 10 {
      let place = Int(head[4] & 63)
      guard rate < 3, place < 38 else { return nil }
      let bitrate = dolbyRates[place >> 1]
      let words = [bitrate * 2, bitrate * 320 / 147 + place & 1, bitrate * 3][rate]
      let mode = Int(head[6] >> 5)
      // Depending on the mode, up to two pairs of bits come before the flag of the low-frequency
      // channel.
      var skipped = mode & 1 == 1 && mode != 1 ? 2 : 0
      if mode & 4 != 0 { skipped += 2 }
      if mode == 2 { skipped += 2 }
      let bits = Int(head[6]) << 8 | Int(head[7])
      let low = bits >> (12 - skipped) & 1
      return SoundFrame(
        length: words * 2, samples: 1536, rate: [48_000, 44_100, 32_000][rate],
        channels: dolbyChannels[mode] + low, codec: "A_AC3")
    }
    guard version <= 16 else { return nil }
    let length = (Int(head[2] & 7) << 8 | Int(head[3])) * 2 + 2
    let blocks = rate == 3 ? 6 : [1, 2, 3, 6][Int(head[4] >> 4 & 3)]
    let rates = rate == 3 ? [24_000, 22_050, 16_000, 0] : [48_000, 44_100, 32_000, 0]
    let own = rates[rate == 3 ? Int(head[4] >> 4 & 3) : rate]
    guard own > 0, length >= 8 else { return nil }
    return SoundFrame(
      length: length, samples: blocks * 256, rate: own,
      channels: dolbyChannels[Int(head[4] >> 1 & 7)] + Int(head[4] & 1), codec: "A_EAC3",
      isDependent: head[2] >> 6 == 1 || head[2] >> 3 & 7 != 0)
  }

  private static let dolbyRates = [
    32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640,
  ]
  private static let dolbyChannels = [2, 1, 2, 3, 3, 4, 4, 5]
}
