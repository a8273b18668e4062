package import Streams

/// The media of a web page, from a resolver or from the page itself.
package struct PageMedia: Hashable, Codable, Sendable {
  /// All formats in which the page offers its media, in the order of the answer.
  package var formats: [PageFormat] = []
  /// The same formats with the facts that are needed to make a file of a stream; empty if no
  /// resolver gave these facts.
  package var offers: [OfferedFormat] = []
  package var chapters: [StreamChapter] = []
  /// Plain text.
  package var title: String?
  /// Seconds.
  package var duration: Double?
  package var thumbnail: String?
  package var subtitles: [Subtitle] = []
  /// The reason why there is nothing to play now, if the answer says so.
  package var obstacle: Obstacle?

  package init() {}

  /// A reason why a web page has nothing to play now.
  package enum Obstacle: String, Hashable, Codable, Sendable {
    case live, notBegun

    package var words: String {
      switch self {
      case .live: "the video is still live; try again when it has ended"
      case .notBegun: "the video has not begun yet; try again later"
      }
    }
  }

  /// `offers`, or, if they are empty, offers that are made from `formats` and tell fewer facts.
  package var allOffers: [OfferedFormat] {
    if !offers.isEmpty { return offers }
    return formats.map { format in
      var offer = OfferedFormat(name: format.mark, address: format.url)
      if format.isStream { offer.transport = .playlist }
      offer.height = format.height
      offer.headers = format.headers
      offer.begins = format.begins
      if format.isSound { offer.picture = .missing }
      return offer
    }
  }

  /// The limit for the formats that are read of a page. Sites offer some dozens.
  static let maxFormats = 1000
  /// The limit for the formats of a page that are remembered. No known site offers even a third of
  /// this number.
  package static let maxOffers = 256
  /// The limit for the subtitles that are read of a page.
  static let maxSubtitles = 24
}

/// One form in which a web page offers its media.
package struct PageFormat: Hashable, Codable, Sendable {
  /// The resolver's name of the format. It stays the same when the address changes from answer to
  /// answer.
  package var name: String?
  package var url: String
  /// The declared media type, or one that follows from the extension; nil if neither is known.
  package var type: String?
  /// The height of the picture in lines; nil if it is not known.
  package var height: Int?
  /// kbit/s.
  package var bitrate: Double?
  /// The tracks, with their codecs as declared.
  package var picture: Track = .unknown
  package var sound: Track = .unknown
  /// The exact length in bytes; nil if it is not known.
  package var length: Int?
  /// Header fields for requests to the host of `url`, by name. They can hold secrets.
  package var headers: [String: String] = [:]
  /// The time when the address expires, in seconds since 1970; nil if it is not known.
  package var expires: Int?
  /// The time before which the address does not work, in seconds since 1970; nil if it works now.
  package var begins: Int?
  /// Whether the address leads to a playlist of segments, or to bytes that can only be decrypted
  /// with a licence (DRM). Neither of them can be read directly as a file.
  package var isStream = false

  package init(url: String) {
    self.url = url
  }

  /// One of the tracks of a format.
  package enum Track: Hashable, Codable, Sendable {
    case unknown, missing
    /// The codec, such as "avc1.64001f".
    case codec(String)

    /// - Parameter text: the codec as yt-dlp writes it; "none" for no track.
    init(_ text: String?) {
      switch text?.lowercased() {
      case nil: self = .unknown
      case "none"?: self = .missing
      case let codec?: self = .codec(codec)
      }
    }
  }

  /// The text by which this format is recognised in a later answer. It is the format's name, or
  /// else its address without query and fragment, shortened to the last 200 characters, because a
  /// site can send very long ones.
  package var mark: String {
    String((name ?? String(url.prefix { $0 != "?" && $0 != "#" })).suffix(200))
  }

  /// Whether the format can have both picture and sound. A track that is unknown counts as present.
  var hasBoth: Bool { picture != .missing && sound != .missing }

  /// Whether the format has sound, but no picture.
  var isSound: Bool {
    picture == .missing
      || picture == .unknown && MediaType.classOf(type: type, url: url) == .audio
  }
}
