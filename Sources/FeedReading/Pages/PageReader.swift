import Addresses
import Markup

/// Reads the facts that a web page states about its video: `<video>` and its sources, JSON-LD, Open
/// Graph, Twitter's player, and the address of its oEmbed document. It runs no script.
///
/// The page can be cut off at any place. Reading takes time that is linear in the page's length.
package struct PageReader {
  /// The limit for the bytes that are read of a page.
  package static let limit = 2 << 20

  private var media = PageMedia()
  /// The address of the oEmbed document; nil if the page has none. That document can name media if
  /// the page itself names none.
  private var embed: String?
  private var base: String
  private var hasBase = false
  /// The properties that the page's `<meta>` tags give, in their order.
  private var properties: [(name: String, value: String)] = []
  private var isInVideo = false
  private var isInAudio = false
  private var found: Set<String> = []

  /// Returns the media that `page` names, and the address of its oEmbed document. The page came
  /// from `address`.
  package static func read(
    _ page: [UInt8], at address: String
  ) -> (media: PageMedia, embed: String?) {
    var reader = PageReader(base: address)
    var html = HTMLReader(page)
    while let token = html.next() {
      switch token {
      case .start(let name, let attributes): reader.take(name, attributes, html.rawContent)
      case .end("video"), .end("audio"): (reader.isInVideo, reader.isInAudio) = (false, false)
      case .end, .text: break
      }
    }
    reader.takeProperties()
    return (reader.media, reader.embed)
  }

  /// Returns the media that the text of an entry names. `address` is the page of the entry. Once
  /// the address of a file (and not of a stream) was found, reading ends at the next `</video>`.
  static func read(text: String, at address: String) -> PageMedia {
    var reader = PageReader(base: address)
    var html = HTMLReader(Array(text.utf8))
    while let token = html.next() {
      switch token {
      case .start("meta", _), .start("link", _), .start("script", _), .start("base", _): break
      case .start(let name, let attributes): reader.take(name, attributes, [])
      case .end("video") where reader.media.formats.contains { !$0.isStream }: return reader.media
      case .end("video"), .end("audio"): (reader.isInVideo, reader.isInAudio) = (false, false)
      case .end, .text: break
      }
    }
    return reader.media
  }

  /// Whether `markup` seems to contain a `<video>` or `<audio>` element, directly or in escaped
  /// HTML. The check only compares bytes, so it is quick.
  static func mayHoldPlayer(_ markup: [UInt8]) -> Bool {
    markup.withUnsafeBufferPointer { bytes in
      var place = 0
      while place + 6 <= bytes.count {
        // An escaped "<" ends with a semicolon: "&lt;", "&#60;".
        if bytes[place] == Byte.less || bytes[place] == Byte.semicolon {
          let name = bytes[(place + 1)..<(place + 6)].lazy.map(Byte.lowercased)
          if name.elementsEqual("video".utf8) || name.elementsEqual("audio".utf8) { return true }
        }
        place += 1
      }
      return false
    }
  }

  /// Reads an oEmbed document (oembed.com). Its member `html` can contain a `<video>`.
  package static func read(embed document: [UInt8], at address: String) -> PageMedia {
    var json = JSONReader(document, maxValues: 1000)
    let value = json.document()
    var media = read(Array((value.text("html") ?? "").utf8), at: address).media
    media.title = media.title ?? value.text("title").map { PlainText.of($0) }
    media.thumbnail = media.thumbnail ?? value.address("thumbnail_url", base: address)
    media.duration = media.duration ?? value["duration"]?.positive
    return media
  }

  private init(base: String) {
    self.base = base
  }

  // MARK: Elements

  private mutating func take(
    _ name: String, _ attributes: [String: String], _ content: ArraySlice<UInt8>
  ) {
    switch name {
    case "base":
      guard !hasBase, let href = attributes["href"] else { return }
      hasBase = true
      base = WebAddress.base(href, within: base)
    case "video", "audio":
      (isInVideo, isInAudio) = (true, name == "audio")
      offer(attributes["src"], isSound: name == "audio", attributes)
      if let poster = WebAddress.usable(attributes["poster"]?.nonEmpty, base: base) {
        media.thumbnail = media.thumbnail ?? poster
      }
    case "source" where isInVideo: offer(attributes["src"], isSound: isInAudio, attributes)
    case "track" where isInVideo: takeTrack(attributes)
    case "meta":
      guard let name = attributes["property"] ?? attributes["name"] ?? attributes["itemprop"],
        let value = attributes["content"]?.trimmed.nonEmpty, properties.count < Self.maxProperties
      else { return }
      properties.append((name.lowercased(), value))
    case "link": takeLink(attributes)
    case "script" where attributes["type"]?.lowercased().contains("ld+json") ?? false:
      var json = JSONReader(Array(content), maxValues: Self.maxValues)
      takeLinkedData(json.document(), depth: 0)
    default: break
    }
  }

  private mutating func offer(
    _ reference: String?, isSound: Bool, _ attributes: [String: String]
  ) {
    let lines = ["height", "size", "res", "data-res", "label", "title"].lazy
      .compactMap { attributes[$0] }.compactMap(Self.lines).first
    add(reference, type: attributes["type"], height: lines, isSound: isSound)
  }

  private mutating func add(
    _ reference: String?, type: String?, height: Int?, isSound: Bool = false
  ) {
    guard media.formats.count < PageMedia.maxFormats,
      let url = WebAddress.usable(reference?.trimmed.nonEmpty, base: base)
    else { return }
    let type = MediaType.normalized(type)
    let candidate = Candidate(
      media: Media(url: url, type: type), source: .alternative)
    // An address of a player's page or of a picture is not taken: neither can be played as a file.
    if let unplayable = candidate.unplayable, unplayable != .stream, unplayable != .other { return }
    guard found.insert(url).inserted else { return }
    var format = PageFormat(url: url)
    format.type = type
    format.height = height
    format.isStream = candidate.unplayable == .stream
    if isSound { format.picture = .missing }
    media.formats.append(format)
  }

  private mutating func takeTrack(_ attributes: [String: String]) {
    let kind = attributes["kind"]?.lowercased() ?? "subtitles"
    guard ["subtitles", "captions"].contains(kind), media.subtitles.count < PageMedia.maxSubtitles,
      let url = WebAddress.usable(attributes["src"]?.nonEmpty, base: base)
    else { return }
    media.subtitles.append(
      Subtitle(url: url, type: "text/vtt", lang: attributes["srclang"]?.nonEmpty))
  }

  private mutating func takeLink(_ attributes: [String: String]) {
    guard embed == nil, attributes["rel"]?.lowercased().contains("alternate") ?? false,
      MediaType.normalized(attributes["type"]) == "application/json+oembed"
    else { return }
    embed = WebAddress.usable(attributes["href"]?.nonEmpty, base: base)
  }

  /// Returns the height in "720", "720p" or "1280x720"; nil if the number cannot be the height of a
  /// picture.
  private static func lines(_ text: String) -> Int? {
    let last = text.lowercased().split(separator: "x").last ?? ""
    let digits = last.drop { !$0.isNumber }.prefix { $0.isNumber }
    return Int(digits).flatMap { (100...8640).contains($0) ? $0 : nil }
  }

  // MARK: JSON-LD

  /// Takes the media of each VideoObject and AudioObject (schema.org), down to `maxDepth` levels in
  /// the JSON.
  private mutating func takeLinkedData(_ value: JSONValue, depth: Int) {
    guard depth < Self.maxDepth else { return }
    for element in value.array ?? [] { takeLinkedData(element, depth: depth + 1) }
    guard let object = value.object else { return }
    let types = (value["@type"]?.array ?? [value["@type"]].compactMap(\.self)).compactMap(\.text)
    if types.contains(where: { ["VideoObject", "AudioObject"].contains($0) }) {
      let height = value["height"]?.count ?? value["videoQuality"]?.text.flatMap(Self.lines)
      add(
        value.text("contentUrl", "contentURL"), type: value.text("encodingFormat"), height: height,
        isSound: types.contains("AudioObject"))
      media.title = media.title ?? value.text("name").map { PlainText.of($0) }
      media.duration = media.duration ?? value.text("duration").flatMap(Self.seconds)
      let picture = value["thumbnailUrl"]?.array?.first?.text ?? value.text("thumbnailUrl")
      media.thumbnail = media.thumbnail ?? WebAddress.usable(picture, base: base)
    }
    for (_, member) in object.members { takeLinkedData(member, depth: depth + 1) }
  }

  /// Returns the seconds of an ISO 8601 duration such as "PT1H2M3.5S", or of one that
  /// `FeedDuration` reads.
  private static func seconds(_ text: String) -> Double? {
    guard text.uppercased().hasPrefix("P") else { return FeedDuration.parse(text) }
    let units: [Character: Double] = ["D": 86_400, "H": 3600, "M": 60, "S": 1]
    var (sum, digits) = (0.0, "")
    for letter in text.uppercased().dropFirst() where letter != "T" {
      if letter.isNumber || letter == "." {
        digits.append(letter)
      } else {
        guard let unit = units[letter], let number = Double(digits) else { return nil }
        sum += unit * number
        digits = ""
      }
    }
    return sum > 0 && sum < 1e9 ? sum : nil
  }

  // MARK: Properties

  private mutating func takeProperties() {
    let properties = properties
    func value(_ names: String...) -> String? {
      properties.first { names.contains($0.name) }?.value
    }
    let type = value("og:video:type")
    let height = value("og:video:height").flatMap(Self.lines)
    for name in ["og:video:secure_url", "og:video:url", "og:video"] {
      for property in properties where property.name == name {
        add(property.value, type: type, height: height)
      }
    }
    add(
      value("twitter:player:stream"), type: value("twitter:player:stream:content_type"),
      height: value("twitter:player:height").flatMap(Self.lines))
    add(value("contenturl"), type: value("encodingformat"), height: nil)
    media.title = media.title ?? value("og:title", "twitter:title").map { PlainText.of($0) }
    media.duration =
      media.duration
      ?? value("og:video:duration", "video:duration").flatMap(
        FeedDuration.parse)
    let picture = value("og:image", "twitter:image")
    media.thumbnail = media.thumbnail ?? WebAddress.usable(picture, base: base)
  }

  private static let maxProperties = 500
  private static let maxValues = 20_000
  private static let maxDepth = 32
}

extension Media {
  fileprivate init(url: String, type: String?) {
    self.init(url: url)
    self.type = type
  }
}
