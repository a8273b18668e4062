import Markup

/// Reads a document in the shape of `yt-dlp -J`. Any member of the document can be missing, or have
/// any type.
struct ResolverDocument {
  private let info: JSONValue
  private let now: Int

  /// - Parameter now: the time of the answer, in seconds since 1970.
  init(_ document: JSONValue, now: Int) {
    info = Self.single(document)
    self.now = now
  }

  var media: PageMedia? {
    guard info.object != nil else { return nil }
    var media = PageMedia()
    media.obstacle = obstacle
    media.title = info.text("title", "fulltitle").map { PlainText.printable($0) }
    media.duration = info["duration"]?.positive
    media.thumbnail = info.address("thumbnail", base: "")
    media.formats = (info["formats"]?.array ?? []).prefix(PageMedia.maxFormats)
      .compactMap(format)
    // If the resolver found a single file, the document itself describes it.
    if media.formats.isEmpty, let only = format(info) { media.formats = [only] }
    media.subtitles = subtitles
    media.offers = ResolverOffers(info, media.formats).offers
    media.chapters = ChapterDocument.chapters(in: info)
    return media
  }

  /// Returns the part of a document that describes a video. If the document is a list of videos,
  /// this is the first video.
  private static func single(_ document: JSONValue) -> JSONValue {
    var info = document
    // yt-dlp prints a channel as a list of tabs, and each tab as a list of videos.
    for _ in 0..<3 {
      guard let entries = info["entries"]?.array,
        let first = entries.first(where: { $0.object != nil })
      else { break }
      info = first
    }
    return info
  }

  private var obstacle: PageMedia.Obstacle? {
    switch info.text("live_status") {
    case "is_upcoming"?: return .notBegun
    case "is_live"?, "post_live"?: return .live
    default: return info["is_live"]?.isTrue == true ? .live : nil
    }
  }

  // MARK: Formats

  private func format(_ value: JSONValue) -> PageFormat? {
    guard let url = value.address("url", base: "") else { return nil }
    let ending = value.text("ext")?.lowercased()
    guard ending != "mhtml" else { return nil }  // pictures for a progress bar
    var format = PageFormat(url: url)
    format.name = value.text("format_id")
    format.height = height(of: value)
    format.bitrate = value["tbr"]?.positive ?? value["vbr"]?.positive ?? value["abr"]?.positive
    format.picture = PageFormat.Track(value.text("vcodec"))
    format.sound = PageFormat.Track(value.text("acodec"))
    format.type = type(of: format, ending)
    format.length = value["filesize"]?.count
    format.headers = headers(of: value)
    format.expires = expiry(of: value) ?? AddressExpiry.time(of: url, now: now)
    format.begins = value["available_at"]?.count.flatMap { $0 > now ? $0 : nil }
    format.isStream = isStream(value, url, ending)
    return format
  }

  private func height(of value: JSONValue) -> Int? {
    if let height = value["height"]?.count { return height }
    let resolution = value.text("resolution")?.split(separator: "x")
    return resolution?.count == 2 ? resolution?.last.flatMap { Int($0) } : nil
  }

  private func type(of format: PageFormat, _ ending: String?) -> String? {
    guard let ending, ending.utf8.count <= 8, ending.allSatisfy({ $0.isLetter || $0.isNumber })
    else { return nil }
    if format.picture == .missing { return "audio/\(ending == "m4a" ? "mp4" : ending)" }
    switch MediaType.classOfExtension(ending) {
    case .audio?: return "audio/\(ending)"
    case .video?: return "video/\(ending)"
    case .other?, .unknown?, nil: return nil
    }
  }

  private func headers(of value: JSONValue) -> [String: String] {
    // A format without header fields of its own uses the document's header fields.
    let fields = value["http_headers"]?.object ?? info["http_headers"]?.object
    var headers: [String: String] = [:]
    for (name, field) in (fields?.members ?? []).prefix(Self.maxHeaders) {
      if case .string(let text) = field { headers[name] = text }
    }
    if headers["Cookie"] == nil, let cookies = value.text("cookies") ?? info.text("cookies") {
      headers["Cookie"] = Self.cookies(cookies)
    }
    return headers
  }

  /// Turns "a=1; Domain=.example.com; Path=/; Secure; b=2" into "a=1; b=2". Attributes such as the
  /// domain are not needed, because all of these cookies are for the format's address.
  private static func cookies(_ text: String) -> String? {
    let pairs = text.split(separator: ";").map { String($0).trimmed }.filter { pair in
      let name = pair.prefix { $0 != "=" }.lowercased()
      return pair.contains("=") && !["domain", "path", "expires", "version"].contains(name)
    }
    return pairs.joined(separator: "; ").nonEmpty
  }

  private static let maxHeaders = 32

  private func expiry(of value: JSONValue) -> Int? {
    let names = ["expires", "expire", "expiry", "expires_at"]
    let times = names.compactMap { value[$0]?.count ?? info[$0]?.count }
    return times.first { $0 > now }
  }

  private func isStream(_ value: JSONValue, _ url: String, _ ending: String?) -> Bool {
    if let drm = value["has_drm"], drm.isTrue { return true }
    if value["fragments"]?.array?.isEmpty == false { return true }
    if let scheme = value.text("protocol") { return !["http", "https"].contains(scheme) }
    let endings = [ending, MediaType.pathExtension(of: url)]
    return endings.contains { ["m3u8", "m3u", "mpd", "f4m", "ism"].contains($0) }
  }

  // MARK: Subtitles

  /// The subtitles that people wrote, one for each language. Automatic captions are left out,
  /// because yt-dlp lists them in nearly every language.
  private var subtitles: [Subtitle] {
    let languages = (info["subtitles"]?.object?.members ?? []).prefix(PageMedia.maxSubtitles)
    return languages.compactMap { language, forms -> Subtitle? in
      // yt-dlp lists the better forms of a subtitle last.
      let known = (forms.array ?? []).reversed().compactMap { form -> Subtitle? in
        guard let url = form.address("url", base: ""), form.text("protocol") == nil,
          let type = form.text("ext").flatMap({ Self.subtitleTypes[$0] })
        else { return nil }
        return Subtitle(url: url, type: type, lang: language)
      }
      return known.first { $0.type == "text/vtt" } ?? known.first
    }
  }

  private static let subtitleTypes = [
    "vtt": "text/vtt", "srt": "application/x-subrip", "ass": "text/x-ass", "ssa": "text/x-ssa",
    "ttml": "application/ttml+xml",
  ]
}
