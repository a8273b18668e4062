@testable import Catalog
@testable import FeedReading

/// Entries of which each field is set somewhere, and left out elsewhere.
enum FieldSamples {
  static let entries: [CatalogEntry] = [full, bare, odd]

  static let full: CatalogEntry = {
    var entry = made(1, media("https://media.example/1.mp4?key=a%20b"), id: "guid-1")
    entry.name = "An own name.mp4"
    entry.alias = "guid-1b"
    entry.linkName = "2026-05-01 Zwölf.mp4"
    entry.choice = "https://media.example/1-low.mp4"
    entry.pageFormat = "22"
    entry.pinned = true
    entry.mark = .started
    entry.presence = .kept
    entry.learned = LearnedFacts(subtitles: [subtitle])
    entry.learned?.title = "Learned"
    entry.learned?.duration = 61.25
    entry.learned?.length = 70_000
    entry.learned?.thumbnail = "https://media.example/l.jpg"
    entry.learned?.liveAt = 1_777_777_000
    entry.known = body("\"v9\"")
    entry.known?.isMeasured = true
    entry.known?.date = "Fri, 01 May 2026 10:00:00 GMT"
    entry.known?.untaggedAt = "https://media.example:443"
    entry.outdated = body("\"v8\"")
    entry.older = [body(nil), body("\"v6\"")]
    return entry
  }()

  static let bare = CatalogEntry(
    number: 2, inode: 300, key: "guid-2", entry: Entry(id: "guid-2", idSource: .guid),
    media: Media(url: "https://media.example/2"), fileExtension: "mp4", now: 1_777_777_777)

  /// Texts that JSON escapes, and numbers at their ends.
  static let odd: CatalogEntry = {
    var first = media("https://media.example/3?\u{7F}\u{2028}\u{1F980}\"\\/")
    first.duration = 0.1
    first.bitrate = -.infinity
    first.length = .max
    var entry = made(3, first, id: "\u{1}\u{8}\u{C}\r\n\t")
    entry.title = "\u{0}e\u{301}"
    (entry.published, entry.zone, entry.season, entry.episode) = (-1, -3600, .min, .max)
    entry.mark = .played
    entry.presence = .removed
    entry.alternates = [1e21, 123_456_789, 1e-7, .leastNonzeroMagnitude, .nan].map { duration in
      var media = Media(url: "https://media.example/\(duration)")
      media.duration = duration
      return media
    }
    entry.chapterMarks = [Chapter(start: .infinity, title: ""), Chapter(start: -0.0, title: "\"")]
    return entry
  }()

  private static let subtitle = Subtitle(
    url: "https://media.example/s.vtt", type: "text/vtt", lang: "de")

  private static func media(_ url: String) -> Media {
    var media = Media(url: url)
    media.type = "video/mp4"
    media.length = 4096
    media.roundedLength = 4000
    media.duration = 3723
    media.height = 720
    media.bitrate = 1234.5
    media.lang = "en"
    media.isDefault = true
    media.integrity = "sha256-abc"
    media.codecs = "avc1.4d401f,mp4a.40.2"
    return media
  }

  private static func made(_ number: Int, _ media: Media, id: String) -> CatalogEntry {
    var entry = Entry(id: id, idSource: .guid)
    entry.title = "Zwölf / 12 \"quoted\""
    entry.published = 1_777_777_000
    entry.zone = 7200
    entry.media = media
    entry.alternates = [Media(url: "https://media.example/1-low.mp4")]
    entry.subtitles = [subtitle, Subtitle(url: "https://media.example/t", type: nil, lang: nil)]
    entry.link = "https://media.example/page"
    entry.thumbnail = "https://media.example/t.jpg"
    entry.season = 2
    entry.episode = 5
    entry.notes = "<p>Notes</p>\n"
    entry.chapters = "https://media.example/c.json"
    entry.chapterMarks = [Chapter(start: 1.5, title: "One")]
    return CatalogEntry(
      number: number, inode: UInt64(number + 100), key: id, entry: entry, media: media,
      fileExtension: "mp4", now: 1_777_777_777)
  }

  private static func body(_ tag: String?) -> KnownBody {
    KnownBody(
      length: 4096, entityTag: tag, lastModified: "Thu, 30 Apr 2026 10:00:00 GMT",
      contentType: "video/mp4", checkedAt: 1_777_777_700, freshFor: 600)
  }
}
