package import Streams

/// The media of a web page, from a resolver or from the page itself.
package struct PageMedia: Hashable, Codable, Sendable {
  /// All forms in which the media is offered, in the order of the answer.
  package var formats: [PageFormat] = []
  /// The same forms with the facts that streams need; empty if no resolver gave them.
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

  /// A reason why a page has nothing to play now.
  package enum Obstacle: String, Hashable, Codable, Sendable {
    case live, notBegun

    package var words: String {
      switch self {
      case .live: "the video is still live; try again when it has ended"
      case .notBegun: "the video has not begun yet; try again later"
      }
    }
  }

  /// `offers`. If there are none, makes them of `formats`, which have fewer facts.
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
  /// The limit for the forms of a page that are remembered. No known site has a third of that.
  package static let maxOffers = 256
  /// The limit for the subtitles that are read of a page.
  static let maxSubtitles = 24
}

/// One form in which a page offers its media.
package struct PageFormat: Hashable, Codable, Sendable {
  /// The resolver's name of the form. The address may change with each answer.
  package var name: String?
  package var url: String
  /// The declared media type, or one that follows from the extension; nil if neither is known.
  package var type: String?
  /// The lines of the picture; nil if they are not known.
  package var height: Int?
  /// kbit/s.
  package var bitrate: Double?
  /// The tracks, with their codecs as declared.
  package var picture: Track = .unknown
  package var sound: Track = .unknown
  /// The exact length in bytes; nil if it is not known.
  package var length: Int?
  /// Header fields for requests to the host of `url`, by name. They may hold secrets.
  package var headers: [String: String] = [:]
  /// The time when the address expires, in seconds since 1970; nil if it is not known.
  package var expires: Int?
  /// The time before which the address does not work, in seconds since 1970; nil if it works now.
  package var begins: Int?
  /// Whether the address leads to a playlist of segments, or to bytes that only a licence opens.
  /// Neither can be read as a file as it is.
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

  /// The text by which this form is known in a later answer: its name, or else its address without
  /// query and fragment. Both come from outside and may be long, so only the last 200 characters
  /// count.
  package var mark: String {
    String((name ?? String(url.prefix { $0 != "?" && $0 != "#" })).suffix(200))
  }

  /// Whether the form may have both picture and sound. An unknown track may be there.
  var hasBoth: Bool { picture != .missing && sound != .missing }

  /// Whether the form is sound alone.
  var isSound: Bool {
    picture == .missing
      || picture == .unknown && MediaType.classOf(type: type, url: url) == .audio
  }
}
