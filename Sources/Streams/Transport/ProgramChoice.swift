/// The streams of a program that are read: the first picture, and the first sound.
struct ProgramChoice {
  var picture: (stream: Int, codec: PictureCodec)?
  var sound: (stream: Int, codec: SoundFrame.Codec)?
  var language: String?

  init() {}

  var isEmpty: Bool { picture == nil && sound == nil }

  /// - Throws: `unsupported` if a wanted kind is there in codecs alone that no file can hold.
  init(_ streams: [ProgramTables.Stream], _ contents: TrackContents) throws(StreamFault) {
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
      throw .unsupported("its codec cannot be put into a file: \(reason)")
    }
  }
}
