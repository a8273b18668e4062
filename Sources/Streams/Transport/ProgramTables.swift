/// Reads the tables of a transport stream, which list its streams (ISO 13818-1 §2.4.4).
struct ProgramTables {
  /// A stream of pictures or sound.
  struct Stream: Hashable {
    let stream: Int
    let kind: Kind
    let language: String?
  }

  enum Kind: Hashable {
    case picture(PictureCodec)
    case sound(SoundFrame.Codec)
    /// A picture, or a sound, whose codec feedfs cannot put into a file, with the name of the
    /// codec.
    case unsupportedPicture(String)
    case unsupportedSound(String)
  }

  /// The packet identifier (PID) of the first program's table of streams; nil until the table of
  /// programs was read.
  private(set) var program: Int?
  /// The program's streams in the order of its table; nil until this table was read.
  private(set) var streams: [Stream]?
  /// The bytes of tables that are not complete yet, by the PID of their packets.
  private var sections: [Int: [UInt8]] = [:]

  /// The size of the longest table in bytes (ISO 13818-1 §2.4.4.1).
  private static let maxTableBytes = 4096

  /// Whether packets with the PID `stream` belong to a table.
  func holds(_ stream: Int) -> Bool {
    stream == TransportPacket.programs || stream == program
  }

  mutating func take(_ packet: TransportPacket) throws(StreamError) {
    var bytes = packet.payload
    if packet.isStart {
      // The first byte counts the bytes after it that belong to the previous table.
      bytes = bytes.dropFirst(1 + Int(bytes.first ?? 0))
      sections[packet.stream] = Array(bytes)
    } else if var section = sections[packet.stream], section.count < Self.maxTableBytes {
      section += bytes
      sections[packet.stream] = section
    }
    guard let section = sections[packet.stream], section.count >= 3 else { return }
    let length = Int(section[1] & 15) << 8 | Int(section[2])
    guard section.count >= 3 + length, length >= 9 else { return }
    sections[packet.stream] = nil
    // The last four bytes are a checksum.
    let body = section[..<(3 + length - 4)]
    if packet.stream == TransportPacket.programs, section[0] == 0 {
      takePrograms(body.dropFirst(8))
    } else if packet.stream == program, section[0] == 2 {
      takeStreams(body)
    }
  }

  private mutating func takePrograms(_ rows: ArraySlice<UInt8>) {
    guard program == nil else { return }
    var rest = rows
    while rest.count >= 4 {
      let row = Array(rest.prefix(4))
      rest = rest.dropFirst(4)
      // Program number 0 stands for the network table.
      if row[0] != 0 || row[1] != 0 {
        program = Int(row[2] & 31) << 8 | Int(row[3])
        return
      }
    }
  }

  private mutating func takeStreams(_ table: ArraySlice<UInt8>) {
    guard streams == nil, table.count >= 12 else { return }
    let head = Array(table.prefix(12))
    var rest = table.dropFirst(12 + (Int(head[10] & 15) << 8 | Int(head[11])))
    var streams: [Stream] = []
    while rest.count >= 5 {
      let row = Array(rest.prefix(5))
      let length = Int(row[3] & 15) << 8 | Int(row[4])
      let descriptors = Descriptors(rest.dropFirst(5).prefix(length))
      rest = rest.dropFirst(5 + length)
      guard let kind = Self.kind(row[0], descriptors) else { continue }
      streams.append(
        Stream(
          stream: Int(row[1] & 31) << 8 | Int(row[2]), kind: kind, language: descriptors.language))
    }
    self.streams = streams
  }

  /// The descriptors of a stream (ISO 13818-1 §2.6).
  private struct Descriptors {
    var names: [String] = []
    var tags: Set<UInt8> = []
    var language: String?

    init(_ bytes: ArraySlice<UInt8>) {
      var rest = bytes
      while rest.count >= 2 {
        let tag = rest[rest.startIndex]
        let content = rest.dropFirst(2).prefix(Int(rest[rest.startIndex + 1]))
        rest = rest.dropFirst(2 + content.count)
        tags.insert(tag)
        if tag == 0x05 { names.append(String(decoding: content.prefix(4), as: UTF8.self)) }
        let letters = content.prefix(3)
        if tag == 0x0A, letters.count == 3, letters.allSatisfy({ (0x61...0x7A).contains($0 | 32) })
        {
          language = String(decoding: letters, as: UTF8.self).lowercased()
        }
      }
    }
  }

  /// Returns the kind of a stream by its type in the table; nil if it is neither picture nor sound.
  private static func kind(_ type: UInt8, _ descriptors: Descriptors) -> Kind? {
    switch type {
    case 0x1B: .picture(.h264)
    case 0x24: .picture(.hevc)
    case 0x0F: .sound(.aac)
    case 0x03, 0x04: .sound(.mpegAudio)
    case 0x81: .sound(.ac3)
    case 0x87: .sound(.eac3)
    case 0x06: privateKind(descriptors)
    case 0x01, 0x02: .unsupportedPicture("MPEG-2 video")
    case 0x10: .unsupportedPicture("MPEG-4 video")
    case 0x33: .unsupportedPicture("VVC")
    case 0xEA: .unsupportedPicture("VC-1")
    case 0x11: .unsupportedSound("AAC in LATM")
    case 0x80, 0x83: .unsupportedSound("LPCM or TrueHD")
    case 0x82, 0x85, 0x86: .unsupportedSound("DTS")
    // With these types, each sample is encrypted by itself.
    case 0xDB: .unsupportedPicture("SAMPLE-AES (DRM)")
    case 0xCF, 0xC1, 0xC2: .unsupportedSound("SAMPLE-AES (DRM)")
    default: nil
    }
  }

  private static func privateKind(_ descriptors: Descriptors) -> Kind? {
    if descriptors.tags.contains(0x6A) || descriptors.names.contains("AC-3") { return .sound(.ac3) }
    if descriptors.tags.contains(0x7A) || descriptors.names.contains("EAC3") {
      return .sound(.eac3)
    }
    if descriptors.names.contains("HEVC") { return .picture(.hevc) }
    if descriptors.names.contains("Opus") { return .unsupportedSound("Opus in a transport stream") }
    return nil
  }
}

/// The streams of a program that are read: the first picture, and the first sound.
struct ProgramChoice {
  var picture: (stream: Int, codec: PictureCodec)?
  var sound: (stream: Int, codec: SoundFrame.Codec)?
  var language: String?

  init() {}

  var isEmpty: Bool { picture == nil && sound == nil }

  /// - Throws: `unsupported` if a wanted picture or sound exists only in codecs that feedfs cannot
  ///   put into a file.
  init(_ streams: [ProgramTables.Stream], _ contents: TrackContents) throws(StreamError) {
    var reason: String?
    for stream in streams {
      switch stream.kind {
      case .picture(let codec) where picture == nil && contents.contains(.picture):
        picture = (stream.stream, codec)
      case .sound(let codec) where sound == nil && contents.contains(.sound):
        sound = (stream.stream, codec)
        language = stream.language
      case .unsupportedPicture(let name) where contents.contains(.picture): reason = name
      case .unsupportedSound(let name) where contents.contains(.sound): reason = reason ?? name
      case .picture, .sound, .unsupportedPicture, .unsupportedSound: break
      }
    }
    let lacksPicture = picture == nil && contents.contains(.picture)
    let lacksSound = sound == nil && contents.contains(.sound)
    if let reason, lacksPicture || lacksSound {
      throw .unsupported("feedfs cannot make a file of this codec: \(reason)")
    }
  }
}
