/// The head of a frame of sound, as far as a film of `TransportFilm` needs it.
struct SoundHeader {
  enum Codec: Sendable { case aac, mpegAudio, ac3, eac3 }

  let length: Int
  let samples: Int
  let rate: Int

  private static let rates = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000,
  ]
  /// Kilobits per second of MPEG-1's layers II and III.
  private static let second = [
    0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384,
  ]
  private static let third = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
  private static let dolby = [
    32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640,
  ]

  /// Reads the head of the frame at the beginning of `bytes`; nil if there is none.
  init?(_ bytes: ArraySlice<UInt8>, _ codec: Codec) {
    let head = bytes.prefix(7).map(Int.init)
    guard head.count == 7 else { return nil }
    switch codec {
    case .aac:
      guard head[0] == 0xFF, head[1] & 0xF6 == 0xF0 else { return nil }
      length = (head[3] & 3) << 11 | head[4] << 3 | head[5] >> 5
      (samples, rate) = (1024, Self.rates[head[2] >> 2 & 15])
    case .mpegAudio:
      guard head[0] == 0xFF, head[1] & 0xF8 == 0xF8 else { return nil }
      let list = head[1] >> 1 & 3 == 2 ? Self.second : Self.third
      rate = [44_100, 48_000, 32_000][head[2] >> 2 & 3]
      length = 144_000 * list[head[2] >> 4] / rate + (head[2] >> 1 & 1)
      samples = 1152
    case .ac3:
      guard head[0] == 0x0B, head[1] == 0x77, head[4] >> 6 == 0 else { return nil }
      // At 48 kHz a frame lasts 32 ms.
      length = Self.dolby[(head[4] & 63) / 2] * 4
      (samples, rate) = (1536, 48_000)
    case .eac3:
      guard head[0] == 0x0B, head[1] == 0x77, head[4] >> 6 == 0 else { return nil }
      length = ((head[2] & 7) << 8 | head[3]) * 2 + 2
      (samples, rate) = ([1, 2, 3, 6][head[4] >> 4 & 3] * 256, 48_000)
    }
    guard length > 0 else { return nil }
  }
}
