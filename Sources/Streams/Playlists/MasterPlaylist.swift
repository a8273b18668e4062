/// A master playlist: the variants of a stream, and the playlists of their tracks (RFC 8216
/// §4.3.4).
package struct MasterPlaylist: Hashable, Sendable {
  /// One form in which the stream is offered.
  struct Variant: Hashable {
    var address = ""
    var quality = StreamQuality()
    /// The names of the variant's group of sounds and group of subtitles; nil if it has none.
    var sounds: String?
    var texts: String?
  }

  /// A sound, or subtitles, that several variants can share.
  struct Rendition: Hashable {
    let group: String
    /// The address of the track's playlist; nil if the track is in the variant's own segments.
    let address: String?
    let facts: SoundFacts
    let isForced: Bool
  }

  private(set) var variants: [Variant] = []
  private(set) var sounds: [Rendition] = []
  private(set) var texts: [Rendition] = []
  /// The variables, which the media playlists can import.
  package private(set) var variables = PlaylistVariables()

  /// Reads a playlist. `address` is its address after redirects.
  package init(_ bytes: [UInt8], at address: String) throws(StreamError) {
    var lines = try PlaylistLines(bytes)
    var pending: Variant?
    while let line = try lines.next() {
      switch line {
      case .tag("#EXT-X-DEFINE", let value):
        try variables.define(value, at: address, importing: PlaylistVariables())
      case .tag("#EXT-X-STREAM-INF", let value):
        pending = Self.variant(try AttributeList(value, variables))
      case .tag("#EXT-X-MEDIA", let value):
        try take(AttributeList(value, variables), at: address)
      case .tag: break
      case .address(let text):
        guard var variant = pending else { continue }
        pending = nil
        guard variants.count < PlaylistLimits.variants else { throw .tooLarge("variants") }
        variant.address = try PlaylistAddress.resolve(variables.replaced(in: text), base: address)
        variants.append(variant)
      }
    }
    guard !variants.isEmpty else { throw .malformed("a master playlist without variants") }
    nameVariants()
  }

  /// Whether `bytes` are a master playlist, and not a media playlist.
  package static func isMaster(_ bytes: [UInt8]) throws(StreamError) -> Bool {
    var lines = try PlaylistLines(bytes)
    while let line = try lines.next() {
      guard case .tag(let name, _) = line else { continue }
      if name == "#EXT-X-STREAM-INF" { return true }
      if name == "#EXTINF" || name == "#EXT-X-TARGETDURATION" { return false }
    }
    return false
  }

  private static func variant(_ list: AttributeList) -> Variant {
    var variant = Variant()
    let size = list.size("RESOLUTION")
    variant.quality.codecs = StreamCodec.list(list["CODECS"])
    variant.quality.width = size?.width
    variant.quality.height = size?.height ?? list["NAME"].flatMap(lines)
    variant.quality.bandwidth = max(0, list.number("BANDWIDTH") ?? 0)
    variant.quality.isHighRange = ["PQ", "HLG"].contains(list["VIDEO-RANGE"] ?? "")
    variant.quality.name = list["STABLE-VARIANT-ID"] ?? ""
    variant.sounds = list["AUDIO"]
    variant.texts = list["SUBTITLES"]
    return variant
  }

  /// Returns the height at the beginning of a variant's name: 720 for "720p". Nil if there is none.
  private static func lines(_ name: String) -> Int? {
    let digits = name.lowercased().prefix { $0.isASCII && $0.isNumber }
    guard (3...4).contains(digits.count), name[digits.endIndex...].lowercased().hasPrefix("p")
    else { return nil }
    return Int(digits)
  }

  private mutating func take(_ list: AttributeList, at address: String) throws(StreamError) {
    guard let kind = list["TYPE"], let group = list["GROUP-ID"] else { return }
    guard kind == "AUDIO" || kind == "SUBTITLES" else { return }
    guard sounds.count + texts.count < PlaylistLimits.variants else {
      throw .tooLarge("renditions")
    }
    var place: String?
    if let reference = list["URI"] {
      place = try PlaylistAddress.resolve(reference, base: address)
    }
    var facts = SoundFacts(language: list["LANGUAGE"], title: list["NAME"])
    facts.isDefault = list.isYes("DEFAULT")
    facts.isAutomatic = facts.isDefault || list.isYes("AUTOSELECT")
    let characteristics = list["CHARACTERISTICS"] ?? ""
    facts.isSpecial = characteristics.contains("describes-video")
    let rendition = Rendition(
      group: group, address: place, facts: facts, isForced: list.isYes("FORCED"))
    if kind == "AUDIO" { sounds.append(rendition) } else { texts.append(rendition) }
  }

  /// Makes names for the variants without STABLE-VARIANT-ID from their properties. Addresses do not
  /// serve as names, since they can contain tokens that change.
  private mutating func nameVariants() {
    for place in variants.indices where variants[place].quality.name.isEmpty {
      let variant = variants[place]
      let quality = variant.quality
      let size = "\(quality.width ?? 0)x\(quality.height ?? 0)"
      let codecs = quality.codecs.joined(separator: ",")
      variants[place].quality.name =
        "\(size) \(quality.bandwidth) \(codecs) \(variant.sounds ?? "")"
    }
  }
}
