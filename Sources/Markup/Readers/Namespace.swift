/// A vocabulary of feeds. Feeds use different prefixes and spellings for the same vocabulary.
package enum Namespace: Hashable {
  /// RSS, in any of its namespaces or in none.
  case plain
  case atom, itunes, media, podcast, dublinCore, podlove, rdf, history, tombstones, syndication, xml
  case jwPlayer
  case other

  /// Finds the vocabulary by the declared name of the namespace. If this name is missing or
  /// unknown, a well-known prefix decides.
  init(uri: String?, prefix: String?) {
    if let uri, let known = Self.named(uri) {
      self = known
    } else if let prefix {
      self = Self.prefixes[prefix.lowercased()] ?? .other
    } else {
      self = .plain
    }
  }

  private static let prefixes: [String: Namespace] = [
    "rss": .plain, "atom": .atom, "atom10": .atom, "a10": .atom, "itunes": .itunes,
    "media": .media, "podcast": .podcast, "dc": .dublinCore, "dcterms": .dublinCore,
    "psc": .podlove, "rdf": .rdf, "fh": .history, "at": .tombstones, "sy": .syndication,
    "xml": .xml, "jwplayer": .jwPlayer,
  ]

  /// Returns the vocabulary with this name; nil for an unknown name. Scheme, case, white space and
  /// a last "/" or "#" make no difference.
  private static func named(_ uri: String) -> Namespace? {
    var name = uri.lowercased().filter { !$0.isWhitespace }[...]
    if let scheme = name.firstRange(of: "://") { name = name[scheme.upperBound...] }
    while name.hasSuffix("/") || name.hasSuffix("#") { name = name.dropLast() }
    if let exact = names[String(name)] { return exact }
    return fragments.first { name.contains($0.0) }?.1
  }

  private static let names: [String: Namespace] = [
    "www.w3.org/2005/atom": .atom,
    "purl.org/atom/ns": .atom,
    "purl.org/dc/elements/1.0": .dublinCore,
    "purl.org/dc/elements/1.1": .dublinCore,
    "purl.org/dc/terms": .dublinCore,
    "purl.org/rss/1.0": .plain,
    "purl.org/net/rss1.1": .plain,
    "purl.org/syndication/history/1.0": .history,
    "purl.org/atompub/tombstones/1.0": .tombstones,
    "purl.org/rss/1.0/modules/syndication": .syndication,
    "www.w3.org/1999/02/22-rdf-syntax-ns": .rdf,
    "www.w3.org/1999/xhtml": .other,
    "www.w3.org/xml/1998/namespace": .xml,
  ]

  private static let fragments: [(String, Namespace)] = [
    ("itunes.com/dtds", .itunes),
    ("podcast-1.0.dtd", .itunes),
    ("search.yahoo.com/mrss", .media),
    ("rssboard.org/media-rss", .media),
    ("podcastindex.org/namespace", .podcast),
    ("podcast-namespace/blob", .podcast),
    ("podlove.org/simple-chapters", .podlove),
    ("netscape.com/rdf/simple", .plain),
    ("backend.userland.com", .plain),
    ("rss.jwpcdn.com", .jwPlayer),
    ("law.harvard.edu", .plain),
  ]
}
