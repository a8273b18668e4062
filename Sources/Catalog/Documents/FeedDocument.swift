import FeedReading

/// The shape of the JSON that `feed show --json` prints.
struct FeedDocument: Encodable {
  /// The version of the format. It grows when a program for the previous version would
  /// misunderstand the document, or miss a part of it.
  let schema = 2
  let feed: Head
  let entries: [Item]

  struct Head: Encodable {
    let title: String
    @OrNull var url: String?
    let kind: Feed.Kind
    @OrNull var language: String?
    let next: [String]
    let complete: Bool
    /// Minutes.
    @OrNull var ttl: Int?
    @OrNull var newURL: String?
    let diagnostics: [String]

    init(_ feed: Feed) {
      title = feed.title
      kind = feed.kind
      next = feed.next
      complete = feed.complete
      diagnostics = feed.diagnostics
      _url = OrNull(feed.url)
      _language = OrNull(feed.language)
      _ttl = OrNull(feed.ttl)
      _newURL = OrNull(feed.newURL)
    }
  }

  struct Item: Encodable {
    @OrNull var n: Int?
    @OrNull var name: String?
    let id: String
    let idSource: Entry.IDSource
    let title: String
    /// Seconds since 1970.
    @OrNull var published: Int?
    /// The day of publication in the publisher's time zone.
    @OrNull var day: String?
    @OrNull var url: String?
    @OrNull var type: String?
    @OrNull var length: Int?
    /// Seconds.
    @OrNull var duration: Double?
    @OrNull var height: Int?
    @OrNull var codecs: String?
    /// The kind of the stream from which the file is made; nil if the address leads to a file.
    @OrNull var stream: StreamKind?
    /// The reason why this address is played, and not one of `alternates`; nil if the entry is no
    /// file.
    @OrNull var choice: String?
    let alternates: [Alternate]
    @OrNull var thumbnail: String?
    let subtitles: [Captions]
    @OrNull var chapters: Chapters?
    @OrNull var link: String?
    @OrNull var season: Int?
    @OrNull var episode: Int?
    @OrNull var skipped: String?
    /// The option that would make the entry a file; nil if the entry is a file already, or if no
    /// option helps.
    @OrNull var option: String?

    /// Converts an entry. For an entry that is no file, the address is that of its best candidate.
    init(_ entry: Entry, number: Int?, _ choice: MediaChoice) {
      let media = entry.media ?? entry.alternates.first
      id = entry.id
      idSource = entry.idSource
      title = entry.title
      alternates = entry.alternates.map(Alternate.init)
      subtitles = entry.subtitles.map(Captions.init)
      _n = OrNull(number)
      _name = OrNull(number.map { FeedReport.name(of: entry, number: $0) })
      _published = OrNull(entry.published)
      _day = OrNull(entry.day)
      _url = OrNull(media?.url)
      _type = OrNull(media?.type)
      _length = OrNull(media?.length)
      _duration = OrNull(entry.media?.duration ?? entry.duration)
      _height = OrNull(media?.height)
      _codecs = OrNull(media?.codecs)
      _stream = OrNull(entry.media?.streamKind)
      _choice = OrNull(entry.reason(choice))
      _thumbnail = OrNull(entry.thumbnail)
      _chapters = OrNull(Chapters(entry))
      _link = OrNull(entry.link)
      _season = OrNull(entry.season)
      _episode = OrNull(entry.episode)
      _skipped = OrNull(entry.skipped)
      _option = OrNull(entry.option)
    }
  }

  struct Alternate: Encodable {
    let url: String
    @OrNull var type: String?
    @OrNull var length: Int?
    @OrNull var height: Int?
    /// kbit/s.
    @OrNull var bitrate: Double?
    @OrNull var lang: String?
    let `default`: Bool
    @OrNull var integrity: String?
    @OrNull var codecs: String?

    init(_ media: Media) {
      url = media.url
      `default` = media.isDefault
      _type = OrNull(media.type)
      _length = OrNull(media.length)
      _height = OrNull(media.height)
      _bitrate = OrNull(media.bitrate)
      _lang = OrNull(media.lang)
      _integrity = OrNull(media.integrity)
      _codecs = OrNull(media.codecs)
    }
  }

  struct Captions: Encodable {
    let url: String
    @OrNull var type: String?
    @OrNull var lang: String?

    init(_ subtitle: Subtitle) {
      url = subtitle.url
      _type = OrNull(subtitle.type)
      _lang = OrNull(subtitle.lang)
    }
  }

  /// The address of the chapters, or the chapters that the feed lists.
  enum Chapters: Encodable {
    case address(String)
    case marks([Chapter])

    init?(_ entry: Entry) {
      if let address = entry.chapters {
        self = .address(address)
      } else if !entry.chapterMarks.isEmpty {
        self = .marks(entry.chapterMarks)
      } else {
        return nil
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .address(let address): try container.encode(address)
      case .marks(let marks): try container.encode(marks)
      }
    }
  }
}

/// A property that is also encoded if it is nil, as null.
@propertyWrapper
struct OrNull<Value: Encodable>: Encodable {
  var wrappedValue: Value?

  init(_ value: Value?) {
    wrappedValue = value
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let wrappedValue {
      try container.encode(wrappedValue)
    } else {
      try container.encodeNil()
    }
  }
}
