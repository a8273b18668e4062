/// The format of the files of a track.
package enum StreamContainer: Hashable, Sendable {
  case mp4, webM, transport, packedAudio, text
  /// Neither address nor media type tells the format. `StreamContainer(beginning:)` finds it in the
  /// first bytes.
  case unknown

  /// Finds the format by the ending of an address's path.
  package init(address: String) {
    let path = address.prefix { $0 != "?" && $0 != "#" }
    guard let dot = path.lastIndex(of: "."), path.distance(from: dot, to: path.endIndex) <= 8 else {
      self = .unknown
      return
    }
    self = Self.endings[path[dot...].dropFirst().lowercased()] ?? .unknown
  }

  /// Finds the format by a media type without parameters.
  init(type: String) {
    switch type.lowercased() {
    case "video/mp4", "audio/mp4", "application/mp4": self = .mp4
    case "video/webm", "audio/webm": self = .webM
    case "video/mp2t": self = .transport
    case "audio/aac", "audio/mpeg": self = .packedAudio
    case "text/vtt": self = .text
    default: self = .unknown
    }
  }

  /// Finds the format by the resolver's word for it, such as "mp4_dash".
  init(word: String) {
    let first = word.lowercased().prefix { $0 != "_" }
    self =
      ["mp4", "m4a", "m4v", "m4s"].contains(first) ? .mp4 : first == "webm" ? .webM : .unknown
  }

  /// Finds the format by the first bytes of a file or segment. At most 400 bytes are read.
  package init(beginning bytes: some Collection<UInt8>) {
    let head = Array(bytes.prefix(400))
    self = .unknown
    if head.count >= 189 ? head[0] == 0x47 && head[188] == 0x47 : head.first == 0x47 {
      self = .transport
    } else if head.count >= 8, let name = String(validating: head[4..<8], as: UTF8.self),
      Self.boxes.contains(name)
    {
      self = .mp4
    } else if head.starts(with: [0x1A, 0x45, 0xDF, 0xA3])
      || head.starts(with: [0x1F, 0x43, 0xB6, 0x75])
    {
      self = .webM
    } else if head.starts(with: "ID3".utf8) {
      self = .packedAudio
    } else if head.starts(with: "WEBVTT".utf8) || head.starts(with: "\u{FEFF}WEBVTT".utf8) {
      self = .text
    } else if head.count >= 2 {
      // The sync words of ADTS and MPEG audio, and of AC-3.
      let isFrame = head[0] == 0xFF && head[1] & 0xE0 == 0xE0 && head[1] & 0x18 != 0x08
      if isFrame || head.starts(with: [0x0B, 0x77]) { self = .packedAudio }
    }
  }

  private static let endings: [String: StreamContainer] = [
    "ts": .transport, "m2ts": .transport, "tsv": .transport, "tsa": .transport, "aac": .packedAudio,
    "mp3": .packedAudio, "ac3": .packedAudio, "ec3": .packedAudio, "mp4": .mp4, "m4s": .mp4,
    "m4v": .mp4, "m4a": .mp4, "cmfv": .mp4, "cmfa": .mp4, "cmft": .mp4, "webm": .webM,
    "vtt": .text, "webvtt": .text,
  ]

  private static let boxes: Set<String> = [
    "ftyp", "styp", "moov", "moof", "sidx", "emsg", "prft", "free", "skip", "mdat",
  ]
}
