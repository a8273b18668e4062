import Markup
import Streams

/// Reads the formats that a document in the shape of `yt-dlp -J` offers, with the facts that are
/// needed to make a file of a stream.
struct ResolverOffers {
  private let info: JSONValue
  private let formats: [PageFormat]

  /// - Parameters:
  ///   - info: the document of one video.
  ///   - formats: the formats that `ResolverDocument` has read from the same document.
  init(_ info: JSONValue, _ formats: [PageFormat]) {
    self.info = info
    self.formats = formats
  }

  /// The formats in the order of the document, without those that have no address of their own.
  var offers: [OfferedFormat] {
    let listed = info["formats"]?.array ?? info["requested_formats"]?.array ?? [info]
    return listed.prefix(PageMedia.maxFormats).compactMap(offer)
  }

  private func offer(_ value: JSONValue) -> OfferedFormat? {
    guard let url = value.address("url", base: ""), value.text("ext") != "mhtml" else { return nil }
    let known = formats.first { $0.url == url && $0.name == value.text("format_id") }
    var offer = OfferedFormat(name: value.text("format_id") ?? "", address: url)
    offer.manifest = value.address("manifest_url", base: "")
    offer.transport = transport(of: value, url)
    offer.picture = Self.track(value.text("vcodec"))
    offer.sound = Self.track(value.text("acodec"))
    offer.width = value["width"]?.count
    offer.height = known?.height ?? value["height"]?.count
    offer.bandwidth = bandwidth(of: value)
    offer.language = value.text("language")
    offer.languageRank = value.text("language_preference").flatMap { Int($0) } ?? 0
    offer.isHighRange = value.text("dynamic_range").map { $0 != "SDR" } ?? false
    offer.length = value["filesize"]?.count
    offer.headers = known?.headers ?? [:]
    offer.begins = known?.begins
    // `has_drm` can also be "maybe". Then only the playlist shows whether the format is protected.
    offer.isProtected = value["has_drm"]?.isTrue ?? false
    offer.container = value.text("container") ?? value.text("ext")
    return offer
  }

  private func bandwidth(of value: JSONValue) -> Int {
    let rate = ["tbr", "vbr", "abr"].lazy.compactMap { value[$0]?.positive }.first ?? 0
    return Int(min(rate, 1e9) * 1000)
  }

  private static func track(_ codec: String?) -> OfferedFormat.Track {
    switch codec?.lowercased() {
    case nil, "unknown"?: .unknown
    case "none"?: .missing
    case let codec?: .codec(codec)
    }
  }

  private func transport(of value: JSONValue, _ url: String) -> OfferedFormat.Transport {
    let segments = segments(of: value)
    if !segments.isEmpty { return .segments(segments) }
    let ending = value.text("ext")?.lowercased()
    switch value.text("protocol") {
    case "http"?, "https"?: return .file
    case "m3u8"?, "m3u8_native"?, "http_dash_segments"?: return .playlist
    case let name?: return .other(String(name.prefix(40)))
    case nil:
      let endings = [ending, MediaType.pathExtension(of: url)]
      if endings.contains(where: { $0 == "m3u8" || $0 == "mpd" }) { return .playlist }
      return endings.contains(where: { $0 == "f4m" || $0 == "ism" }) ? .other("f4m or ism") : .file
    }
  }

  /// Returns the segments of a format. Each segment has an address of its own, or a path below a
  /// common address. The result is empty if any segment has neither.
  private func segments(of value: JSONValue) -> [OfferedFormat.Segment] {
    let rows = value["fragments"]?.array ?? []
    let base = value.text("fragment_base_url") ?? ""
    let segments = rows.compactMap { row -> OfferedFormat.Segment? in
      guard let address = row.address("url", "path", base: base) else { return nil }
      var segment = OfferedFormat.Segment(address: address)
      segment.duration = row["duration"]?.positive.flatMap { seconds in
        seconds < 86_400 ? .microseconds(Int((seconds * 1_000_000).rounded())) : nil
      }
      segment.length = row["filesize"]?.count
      return segment
    }
    // With a segment missing, the rest would make a film that lacks a part.
    return segments.count == rows.count ? segments : []
  }
}
