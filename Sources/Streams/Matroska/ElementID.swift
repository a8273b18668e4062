/// The IDs of the elements that feedfs reads or writes (RFC 9559), with their length marks.
enum ElementID {
  static let ebml: UInt32 = 0x1A45_DFA3
  static let docType: UInt32 = 0x4282
  static let void: UInt32 = 0xEC

  static let segment: UInt32 = 0x1853_8067
  static let seekHead: UInt32 = 0x114D_9B74
  static let seek: UInt32 = 0x4DBB
  static let seekID: UInt32 = 0x53AB
  static let seekPosition: UInt32 = 0x53AC

  static let info: UInt32 = 0x1549_A966
  static let timestampScale: UInt32 = 0x2A_D7B1
  static let duration: UInt32 = 0x4489
  static let muxingApp: UInt32 = 0x4D80
  static let writingApp: UInt32 = 0x5741

  static let tracks: UInt32 = 0x1654_AE6B
  static let trackEntry: UInt32 = 0xAE
  static let trackNumber: UInt32 = 0xD7
  static let trackUID: UInt32 = 0x73C5
  static let trackType: UInt32 = 0x83
  static let flagLacing: UInt32 = 0x9C
  static let language: UInt32 = 0x22_B59C
  static let codecID: UInt32 = 0x86
  static let codecPrivate: UInt32 = 0x63A2
  static let codecDelay: UInt32 = 0x56AA
  static let seekPreRoll: UInt32 = 0x56BB
  static let defaultDuration: UInt32 = 0x23_E383
  static let contentEncodings: UInt32 = 0x6D80
  static let contentEncoding: UInt32 = 0x6240
  static let contentEncryption: UInt32 = 0x5035
  static let video: UInt32 = 0xE0
  static let pixelWidth: UInt32 = 0xB0
  static let pixelHeight: UInt32 = 0xBA
  static let audio: UInt32 = 0xE1
  static let samplingFrequency: UInt32 = 0xB5
  static let channels: UInt32 = 0x9F

  static let cues: UInt32 = 0x1C53_BB6B
  static let cuePoint: UInt32 = 0xBB
  static let cueTime: UInt32 = 0xB3
  static let cueTrackPositions: UInt32 = 0xB7
  static let cueTrack: UInt32 = 0xF7
  static let cueClusterPosition: UInt32 = 0xF1

  static let cluster: UInt32 = 0x1F43_B675
  static let timestamp: UInt32 = 0xE7
  static let position: UInt32 = 0xA7
  static let checksum: UInt32 = 0xBF
  static let simpleBlock: UInt32 = 0xA3
  static let blockGroup: UInt32 = 0xA0
  static let block: UInt32 = 0xA1

  static let chapters: UInt32 = 0x1043_A770
  static let edition: UInt32 = 0x45B9
  static let chapter: UInt32 = 0xB6
  static let chapterUID: UInt32 = 0x73C4
  static let chapterStart: UInt32 = 0x91
  static let chapterDisplay: UInt32 = 0x80
  static let chapterText: UInt32 = 0x85
  static let chapterLanguage: UInt32 = 0x437C

  static let tags: UInt32 = 0x1254_C367
  static let attachments: UInt32 = 0x1941_A469

  /// The elements that end a cluster of unknown size.
  static let topLevel: Set<UInt32> = [
    cluster, cues, info, tracks, seekHead, chapters, tags, attachments,
  ]
}
