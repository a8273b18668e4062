/// Reads an `AudioSampleEntry` (ISO/IEC 14496-12 §12.2.3).
enum AudioEntry {
  static func description(
    _ entry: Box, timescale: Int
  ) throws(StreamError) -> TrackDescription {
    var cursor = ByteCursor(entry.body, of: "audio sample entry")
    try cursor.skip(8)
    // In QuickTime, version 1 of the entry has four more numbers.
    let isLong = try cursor.number(UInt16.self) == 1
    try cursor.skip(6)
    var channels = Int(try cursor.number(UInt16.self))
    try cursor.skip(6)
    // The field is too small for 96 kHz. For such a rate it is 0, and the timescale is the rate.
    var rate = Int(try cursor.number(UInt16.self))
    if rate == 0 { rate = timescale }
    try cursor.skip(isLong ? 18 : 2)
    let boxes = cursor.rest

    var codec: String
    var configuration: [UInt8] = []
    var delay = 0
    var preRoll = 0
    switch entry.type {
    case "mp4a":
      let stream = try ElementaryStream(try SampleEntry.configuration("esds", in: boxes))
      codec = stream.codec
      configuration = stream.configuration
      channels = AudioSpecificConfig(configuration)?.channels ?? channels
    case ".mp3":
      codec = "A_MPEG/L3"
    case "Opus":
      let head = try OpusHead(dOps: try SampleEntry.configuration("dOps", in: boxes))
      codec = "A_OPUS"
      configuration = head.bytes
      channels = head.channels
      rate = OpusHead.rate
      delay = head.delay
      preRoll = OpusHead.preRoll
    case "fLaC":
      codec = "A_FLAC"
      let blocks = try SampleEntry.configuration("dfLa", in: boxes).dropFirst(4)
      let stream = try FLACStream(blocks)
      (rate, channels) = (stream.rate, stream.channels)
      configuration = Array("fLaC".utf8) + blocks
    case "ac-3":
      codec = "A_AC3"
      channels = try DolbyChannels.ac3(try SampleEntry.configuration("dac3", in: boxes))
    case "ec-3":
      codec = "A_EAC3"
      channels = try DolbyChannels.eac3(try SampleEntry.configuration("dec3", in: boxes))
    default:
      throw .unsupported("feedfs does not know the codec \(entry.type)")
    }
    return TrackDescription(
      kind: .audio(rate: rate, channels: channels), codec: codec, codecPrivate: configuration,
      timescale: timescale, codecDelay: delay, seekPreRoll: preRoll)
  }
}
