/// One item of a feed: its title, dates, links and media.
package struct Entry: Hashable, Sendable {
  /// The source of the id: an element of the item, the address of its media (`url`), or its title
  /// and date (`hash`).
  package enum IDSource: String, Hashable, Codable, CaseIterable, Sendable {
    case guid, identifier, link, url, hash
  }

  /// The permanent text that identifies this entry in its feed.
  package var id: String
  package var idSource: IDSource
  /// Plain text, with entities decoded, tags stripped and white space collapsed. It can be empty.
  package var title = ""
  /// Seconds since 1970; nil if no date could be read.
  package var published: Int?
  /// The publisher's zone in seconds east of Greenwich; nil for Greenwich.
  package var zone: Int?
  /// The media to play. Nil if there is none; then `skipped` says why.
  package var media: Media?
  /// The other candidates, best first.
  package var alternates: [Media] = []
  /// The duration in seconds that the feed gives for the entry, or else for `media`; nil if it
  /// gives neither.
  package var duration: Double?
  package var thumbnail: String?
  package var subtitles: [Subtitle] = []
  /// The address of a document with the chapters.
  package var chapters: String?
  /// Chapters that the feed itself lists.
  package var chapterMarks: [Chapter] = []
  /// The address of the entry's web page.
  package var link: String?
  package var season: Int?
  package var episode: Int?
  /// The show notes as the feed writes them, in plain text or HTML. `ShowNotes.text` makes plain
  /// text of them.
  package var notes: String?
  /// The reason why the entry is no file; nil if the entry is a file.
  package var skipped: String?
  /// The option that would make the entry a file; nil if no option would.
  package var option: String?

  /// The day of publication in the publisher's zone, as "2026-05-01"; nil without a date.
  package var day: String? { published.map { FeedDate.day($0, zone: zone) } }

  package init(id: String, idSource: IDSource) {
    self.id = id
    self.idSource = idSource
  }
}

/// One address at which an entry's media is offered, and the facts that the feed gives about it.
public struct Media: Hashable, Codable, Sendable {
  /// The absolute address.
  public var url: String
  /// The declared media type in lower case, without parameters.
  public var type: String?
  /// The length in bytes that the feed claims. It is only a hint.
  public var length: Int?
  /// The smallest length in bytes that the rounded length in a directory listing can stand for; nil
  /// if there is no rounded length.
  public var roundedLength: Int?
  /// Seconds.
  public var duration: Double?
  public var height: Int?
  /// kbit/s.
  public var bitrate: Double?
  public var lang: String?
  public var isDefault = false
  /// A subresource integrity value, as written.
  public var integrity: String?
  /// The codecs as RFC 6381 or the feed names them, separated by commas.
  public var codecs: String?

  @inlinable public init(url: String) {
    self.url = url
  }
}

extension Media {
  /// Whether the address is a web page whose media a resolver must find.
  package var isPage: Bool { type == Self.pageType }

  /// Whether a player could play this instead of `other`. A stream can be played only if `choice`
  /// includes streams.
  private func canReplace(_ other: Media, _ choice: MediaChoice) -> Bool {
    let own = Candidate(media: self, source: .alternative).judgement(choice)
    guard own.unplayable == nil else { return false }
    let known = Candidate(media: other, source: .alternative).judgement(choice).mediaClass
    return own.mediaClass == known
  }

  /// The height of the picture in lines: from the feed, or else from the address, the bit rate or
  /// the size.
  package var pictureLines: Int? { PictureHeight(of: self, duration: nil)?.lines }

  /// Returns `best`, followed by those of `others` that can be played in its place, in their order.
  /// Files that have only the picture or only the sound are left out.
  ///
  /// - Parameter streams: whether a stream can be played in the place of `best`. By default, this
  ///   is true if `best` is a stream itself.
  package static func forms(
    _ best: Media, _ others: [Media], streams: Bool? = nil
  ) -> [Media] {
    if others.isEmpty { return [best] }
    var choice = MediaChoice()
    choice.streams = streams ?? best.isStream
    let tracks = SplitTracks(([best] + others).lazy.map(\.url))
    let apart = tracks.pictures.union(tracks.sounds)
    return [best] + others.filter { !apart.contains($0.url) && $0.canReplace(best, choice) }
  }

  /// The claimed length in bytes; nil if it cannot be believed. A length below 16 KiB, such as 0, 1
  /// or 1024, is taken as a placeholder, and so is a length that equals the duration. A length
  /// above `maxLength` is taken as a mistake. The result is nil for a stream, because the length of
  /// its file follows from its fragments.
  package var credibleLength: Int? {
    guard let length, (16 << 10...Self.maxLength).contains(length), duration != Double(length)
    else { return nil }
    return isStream ? nil : length
  }

  /// The longest length that is believed, in bytes. An origin's answer is not allowed to be longer
  /// either.
  package static let maxLength = 4 << 40

  /// Makes media that stands for the web page at `url`.
  static func page(_ url: String) -> Media {
    var media = Media(url: url)
    media.type = pageType
    return media
  }

  private static let pageType = "text/html"
}

/// Subtitles of an entry, in one language.
public struct Subtitle: Hashable, Codable, Sendable {
  public var url: String
  public var type: String?
  public var lang: String?

  @inlinable public init(url: String, type: String?, lang: String?) {
    self.url = url
    self.type = type
    self.lang = lang
  }
}

/// A named place in an entry.
public struct Chapter: Hashable, Codable, Sendable {
  /// Seconds from the beginning.
  public var start: Double
  /// Plain text.
  public var title: String

  @inlinable public init(start: Double, title: String) {
    self.start = start
    self.title = title
  }

  /// Parses the start of a chapter (Normal Play Time). It is written like a duration, but zero is
  /// valid.
  static func seconds(_ text: String) -> Double? {
    let isZero = text.allSatisfy { "0:.".contains($0) } && text.contains("0")
    return isZero ? 0 : FeedDuration.parse(text)
  }
}
