import Markup

/// A DASH manifest of a stream that is not live (ISO 23009-1): its periods, and the offers in each.
package struct Manifest: Hashable, Sendable {
  struct Period: Hashable {
    let element: XMLElement
    let base: String
    let start: Duration
    /// The duration of the period; nil if the manifest does not tell it.
    let duration: Duration?
    let offers: [Offer]
    /// The kinds whose offers are all protected by DRM, each with the reason in words for the user.
    let protected: [Contents: String]
  }

  /// A Representation element, with the facts of its AdaptationSet.
  struct Offer: Hashable {
    let element: XMLElement
    /// The position of the offer's AdaptationSet in the period.
    let set: Int
    let parent: XMLElement
    let base: String
    let identifier: String
    let contents: Contents
    /// The media type of the offer's files.
    let type: String
    let facts: SoundFacts
    let isForced: Bool

    var quality: StreamQuality { facts.quality }
  }

  enum Contents: Hashable {
    case picture, sound, both, text
  }

  /// The address of the manifest, after redirects.
  let address: String
  let periods: [Period]
  let duration: Duration?

  /// Reads a manifest.
  ///
  /// - Parameters:
  ///   - address: the address of the manifest, after redirects.
  ///   - now: seconds since 1970. A stream that the manifest calls dynamic is live if its end, which
  ///     the manifest can tell, has not passed by then.
  /// - Throws: `unfinished` if the stream is live; `unsupported` if it is protected; `malformed` or
  ///   `tooLarge` if it cannot be read.
  package init(_ document: [UInt8], at address: String, now: Int = 0) throws(StreamError) {
    try self.init(root: XMLElement.root(of: document), at: address, now: now)
  }

  init(root: XMLElement, at address: String, now: Int = 0) throws(StreamError) {
    guard root.name == "mpd" else { throw .malformed("no DASH manifest") }
    if root["type"]?.lowercased() == "dynamic" {
      guard let end = Self.end(of: root), end <= Double(now) else {
        throw .unfinished(StreamSource.live)
      }
    }
    self.address = address
    let base = try Self.base(of: root, in: address)
    duration = ManifestDuration.parse(root["mediapresentationduration"])
    let elements = Array(root.all("period"))
    guard elements.count <= PlaylistLimits.periods else { throw .tooLarge("periods") }
    var periods: [Period] = []
    var start: Duration = .zero
    for (place, element) in elements.enumerated() {
      if element["href"] != nil {
        throw .unsupported(
          "a part of the manifest is at another address, which feedfs does not read")
      }
      start = ManifestDuration.parse(element["start"]) ?? start
      let next = place + 1 < elements.count ? elements[place + 1]["start"] : nil
      let end = ManifestDuration.parse(next) ?? (place + 1 == elements.count ? duration : nil)
      let own = ManifestDuration.parse(element["duration"]) ?? end.map { max(.zero, $0 - start) }
      let place = try Self.base(of: element, in: base)
      let (offers, protected) = try Self.offers(of: element, in: place)
      if !offers.isEmpty {
        periods.append(
          Period(
            element: element, base: place, start: start, duration: own, offers: offers,
            protected: protected))
      }
      if let own { start += own }
      guard start <= PlaylistLimits.duration else { throw .tooLarge("duration") }
    }
    guard !periods.isEmpty else { throw .malformed("a manifest without media") }
    self.periods = periods
  }

  /// The time for which a stream that is over may still get segments, in seconds: encoders and
  /// servers are late.
  private static let delay = 60.0

  /// Returns the time at which a dynamic stream is certain to be complete, in seconds since 1970; nil
  /// if the manifest does not tell it, or if its beginning may be gone already (ISO 23009-1 §5.3.1.2:
  /// the manifest's own duration, from the time at which the stream became available).
  private static func end(of root: XMLElement) -> Double? {
    guard let begin = root["availabilitystarttime"].flatMap(PlaylistDate.seconds),
      let duration = ManifestDuration.parse(root["mediapresentationduration"])
    else { return nil }
    if let depth = ManifestDuration.parse(root["timeshiftbufferdepth"]), depth < duration {
      return nil
    }
    let waits = ["minimumupdateperiod", "suggestedpresentationdelay"].compactMap {
      ManifestDuration.parse(root[$0]).map { $0 / .seconds(1) }
    }
    return begin + duration / .seconds(1) + (waits + [delay]).reduce(0, max)
  }

  /// Returns the address against which references in an element are resolved. Only the first
  /// BaseURL of the element is used.
  private static func base(
    of element: XMLElement, in base: String
  ) throws(StreamError) -> String {
    guard let own = element.first("baseurl"), !own.text.isEmpty else { return base }
    guard !DataAddress.isOne(own.text) else { throw DataAddress.obstacle }
    let address = try PlaylistAddress.resolve(own.text, base: base)
    guard address.utf8.count <= 8 << 10 else { throw .tooLarge("address") }
    return address
  }

  private static func offers(
    of period: XMLElement, in base: String
  ) throws(StreamError) -> (clear: [Offer], protected: [Contents: String]) {
    var offers: [Offer] = []
    var protected: [Contents: String] = [:]
    for (set, parent) in period.all("adaptationset").enumerated() where !isTrick(parent) {
      if parent["href"] != nil {
        throw .unsupported(
          "a part of the manifest is at another address, which feedfs does not read")
      }
      let place = try Self.base(of: parent, in: base)
      for element in parent.all("representation") where element["dependencyid"] == nil {
        guard let contents = contents(of: element, parent) else { continue }
        if let name = Self.protection(of: [period, parent, element]) {
          protected[contents] = name
          continue
        }
        guard offers.count < PlaylistLimits.representations else {
          throw .tooLarge("representations")
        }
        offers.append(try offer(element, set, parent, contents, in: place))
      }
    }
    // If all pictures and sounds are protected, the stream is refused, even if subtitles are not
    // protected.
    if let protection = protected.values.min(),
      !offers.contains(where: { $0.contents != .text })
    {
      throw .unsupported(protection)
    }
    for offer in offers { protected[offer.contents] = nil }
    return (offers, protected)
  }

  private static func offer(
    _ element: XMLElement, _ set: Int, _ parent: XMLElement, _ contents: Contents,
    in base: String
  ) throws(StreamError) -> Offer {
    func both(_ name: String) -> String? { element[name] ?? parent[name] }
    let identifier = element["id"] ?? ""
    var facts = SoundFacts(language: parent["lang"] ?? element["lang"])
    facts.title = parent.first("label")?.text
    let roles = parent.all("role").compactMap { $0["value"]?.lowercased() }
    facts.isDefault = roles.contains("main")
    facts.isAutomatic = !roles.contains("alternate")
    facts.isSpecial =
      parent.has("accessibility")
      || roles.contains { ["commentary", "description", "supplementary", "sign"].contains($0) }
    facts.quality.codecs = StreamCodec.list(both("codecs"))
    facts.quality.width = both("width").flatMap { Int($0) }
    facts.quality.height = both("height").flatMap { Int($0) }
    facts.quality.bandwidth = min(try element.number("bandwidth") ?? 0, 1 << 50)
    let properties = Array(element.children) + parent.children
    facts.quality.isHighRange = properties.contains { property in
      (property["schemeiduri"] ?? "").hasSuffix("TransferCharacteristics")
        && ["16", "18"].contains(property["value"] ?? "")
    }
    facts.quality.name = [
      identifier, "\(facts.quality.height ?? 0)p", "\(facts.quality.bandwidth)",
      facts.quality.codecs.joined(separator: ","),
    ].joined(separator: " ")
    return Offer(
      element: element, set: set, parent: parent, base: try Self.base(of: element, in: base),
      identifier: identifier, contents: contents, type: both("mimetype") ?? "", facts: facts,
      isForced: roles.contains { $0 == "forced-subtitle" || $0 == "forced_subtitle" })
  }

  /// Returns the kind of a Representation; nil if it is no media, such as thumbnails or fonts.
  private static func contents(
    of element: XMLElement, _ parent: XMLElement
  ) -> Contents? {
    let codecs = StreamCodec.list(element["codecs"] ?? parent["codecs"]).map {
      StreamCodec($0).kind
    }
    let type = (element["mimetype"] ?? parent["mimetype"] ?? "").lowercased()
    let kind = parent["contenttype"]?.lowercased() ?? type.prefix { $0 != "/" }.description
    if codecs.contains(.picture), codecs.contains(.sound) { return .both }
    switch kind {
    case "video":
      let isBoth = parent.all("contentcomponent").contains { $0["contenttype"] == "audio" }
      return isBoth ? .both : .picture
    case "audio": return .sound
    case "text": return .text
    case "application":
      if codecs.contains(.text) || type == "application/ttml+xml" { return .text }
      if codecs.contains(.picture) { return .picture }
      return codecs.contains(.sound) ? .sound : nil
    default: return nil
    }
  }

  /// Whether an AdaptationSet has only pictures for fast forward and rewind.
  private static func isTrick(_ set: XMLElement) -> Bool {
    set.all("essentialproperty").contains { ($0["schemeiduri"] ?? "").contains("trickmode") }
      || set["codingdependency"] == "false" && set["maxplayoutrate"] != nil
  }

  private static func protection(of levels: [XMLElement]) -> String? {
    let all = levels.flatMap { Array($0.all("contentprotection")) }
    guard !all.isEmpty else { return nil }
    let names = all.compactMap { element in
      systems.first { (element["schemeiduri"] ?? "").lowercased().hasSuffix($0.0) }?.1
    }
    let list = names.isEmpty ? "a scheme of its own" : Set(names).sorted().joined(separator: ", ")
    return "the stream is protected by \(list) (DRM)"
  }

  private static let systems = [
    ("edef8ba9-79d6-4ace-a3c8-27dcd51d21ed", "Widevine"),
    ("9a04f079-9840-4286-ab92-e65be0885f95", "PlayReady"),
    ("94ce86fb-07ff-4f43-adb8-93d2fa968ca2", "FairPlay"),
    ("e2719d58-a985-b3c9-781a-b030af78d30e", "Clear Key"),
    ("1077efec-c0b2-4d02-ace3-3c1e52e2fb4b", "Clear Key"),
  ]
}
