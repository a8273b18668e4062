import Markup

/// An address under which an entry's media can be found, and the facts that the feed gives about
/// it.
struct Candidate: Hashable {
  enum Source: Hashable {
    /// RSS `enclosure`, Atom `link rel="enclosure"`.
    case enclosure
    /// `media:content`, `podcast:alternateEnclosure`, Atom `content src`.
    case alternative
  }

  var media: Media
  var source: Source
  /// True for an excerpt or a trailer instead of the whole media.
  var isSample = false
  /// True if the document lists addresses of any kind, and does not say that this one is media.
  var isMention = false
  /// The height of the picture in lines, as the candidate's title names it: 1080 for "1080p".
  var labelledHeight: Int?

  /// The kind of an address whose bytes no player can play as a file.
  enum Unplayable: Hashable {
    case stream, torrent, flash, page, image, other
    /// A picture without sound. The sound is in another file.
    case silent
  }

  /// The facts by which an address is ranked.
  struct Judgement: Hashable {
    let mediaClass: MediaClass
    /// The kind of an unplayable address; nil if the address can be a file of video or audio.
    let unplayable: Unplayable?
    /// Whether the address is a stream of which a file is made.
    var isStream = false
  }

  var mediaClass: MediaClass { judgement.mediaClass }

  /// The kind of an unplayable address; nil if the address can be a file of video or audio.
  var unplayable: Unplayable? { judgement.unplayable }

  /// The class of the address, and whether it can be played.
  ///
  /// A playlist, a torrent or a Flash film is recognized by its address, even if the declared type
  /// is that of the media behind it.
  var judgement: Judgement {
    let ending = MediaType.pathExtension(of: media.url)
    let type = media.type ?? ""
    // A shortcut for nearly all files: they have an extension of media, and a usual type or none.
    let endingClass = MediaType.classOfExtension(ending)
    if let endingClass, endingClass != .other,
      let known = type.isEmpty ? endingClass : MediaType.classOfFile(type: type)
    {
      return Judgement(mediaClass: known, unplayable: nil)
    }
    var mediaClass = MediaType.classOf(type: media.type, url: media.url)
    if mediaClass == .unknown, isMention { mediaClass = .other }
    return Judgement(
      mediaClass: mediaClass, unplayable: Self.unplayable(type, ending, mediaClass))
  }

  /// Returns `judgement`. If the user's `choice` includes streams, a stream counts as playable in
  /// it.
  func judgement(_ choice: MediaChoice) -> Judgement {
    let own = judgement
    guard own.unplayable == .stream, choice.streams, media.isStream else { return own }
    return Judgement(mediaClass: media.streamClass, unplayable: nil, isStream: true)
  }

  private static func unplayable(
    _ type: String, _ ending: String, _ mediaClass: MediaClass
  ) -> Unplayable? {
    if StreamKind(type: type, ending: ending) != nil || ending == "m3u" || type.hasSuffix("mpegurl")
    {
      return .stream
    }
    if ending == "torrent" || type.contains("bittorrent") { return .torrent }
    if ending == "swf" || type.contains("flash") { return .flash }
    if mediaClass != .other { return nil }
    if type.hasPrefix("image/") || type == "image" { return .image }
    if type.contains("html") || ["html", "htm", "xhtml"].contains(ending) { return .page }
    let isImage = ["jpg", "jpeg", "png", "gif", "webp", "svg", "avif", "bmp", "ico"]
      .contains(ending)
    return isImage ? .image : .other
  }

  /// True for files that PeerTube makes while they are read. PeerTube serves no ranges of such
  /// files, and gives a wrong length for them.
  var isMadeOnDemand: Bool {
    media.url.has(Self.generated)
  }

  private static let generated = Array("/download/videos/generate/".utf8)

  /// Fills missing fields from another mention of the same address.
  mutating func merge(_ other: Candidate) {
    media.type = media.type ?? other.media.type
    media.length = media.length ?? other.media.length
    media.duration = media.duration ?? other.media.duration
    media.height = media.height ?? other.media.height
    media.bitrate = media.bitrate ?? other.media.bitrate
    media.lang = media.lang ?? other.media.lang
    media.integrity = media.integrity ?? other.media.integrity
    media.codecs = media.codecs ?? other.media.codecs
    media.isDefault = media.isDefault || other.media.isDefault
    if other.source == .enclosure { source = .enclosure }
    isSample = isSample && other.isSample
    isMention = isMention && other.isMention
    labelledHeight = labelledHeight ?? other.labelledHeight
  }
}
