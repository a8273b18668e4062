import FoundationEssentials

@testable import FeedReading
@testable import Markup

/// The fields in the JSON beside a fixture that the parser also reads.
///
/// The JSON has three dialects: RSS, Atom, and the common form of both.
struct Expectation: Decodable {
  var title: String?
  var language: String?
  var link: String?
  var items: [Item] = []

  enum Key: CodingKey { case title, language, link, links, items, entries }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    title = try? container.decode(String.self, forKey: .title)
    language = try? container.decode(String.self, forKey: .language)
    link = container.link(.link, .links)
    items =
      (try? container.decode([Item].self, forKey: .items))
      ?? (try? container.decode([Item].self, forKey: .entries)) ?? []
  }

  /// The names of the fields that differ in `feed`, each with its expected value.
  func differences(from feed: Feed?) -> [(field: String, expected: String)] {
    guard let feed else { return [("feed", "a feed")] }
    var differences = Differences()
    differences.compare("feed.title", title.map { PlainText.of($0) }, feed.title)
    differences.compare("feed.link", link, feed.url)
    differences.compare("feed.language", language, feed.language)
    differences.compare("count", items.count, feed.entries.count)
    for (item, entry) in zip(items, feed.entries) { item.compare(entry, &differences) }
    return differences.found
  }
}

/// The fields that differ, so far.
struct Differences {
  private(set) var found: [(field: String, expected: String)] = []

  /// Compares a field; nil expects nothing.
  mutating func compare<Value: Equatable>(_ field: String, _ expected: Value?, _ value: Value?) {
    if let expected, expected != value { found.append((field, "\(expected)")) }
  }
}

extension Expectation {
  struct Item: Decodable {
    struct GUID: Decodable { var value: String? }
    struct Content: Decodable { var src: String? }
    struct Apple: Decodable {
      var duration: String?, season: String?, episode: String?, image: String?
    }
    struct Enclosure: Decodable {
      var url: String?
      var href: String?
      var rel: String?
      var type: String?
      var length: String?
    }

    var id: String?
    var title: String?
    var link: String?
    var published: Int?
    var enclosures: [Enclosure] = []
    var apple: Apple?

    enum Key: CodingKey {
      case id, guid, title, link, links, enclosure, enclosures, content, itunesExt
      case publishedParsed, pubDateParsed, updatedParsed
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      id =
        (try? container.decode(String.self, forKey: .id))
        ?? (try? container.decode(String.self, forKey: .guid))
        ?? (try? container.decode(GUID.self, forKey: .guid))?.value
      title = try? container.decode(String.self, forKey: .title)
      link = container.link(.link, .links)
      let dates = [Key.publishedParsed, .pubDateParsed, .updatedParsed]
      published = dates.lazy.compactMap { try? container.decode(String.self, forKey: $0) }
        .first.flatMap(FeedDate.parse)
      let links = (try? container.decode([Enclosure].self, forKey: .links)) ?? []
      enclosures =
        links.filter { $0.rel == "enclosure" }
        + ((try? container.decode([Enclosure].self, forKey: .enclosures)) ?? [])
        + [try? container.decode(Enclosure.self, forKey: .enclosure)].compactMap(\.self)
      if let source = (try? container.decode(Content.self, forKey: .content))?.src {
        enclosures.append(Enclosure(url: source))
      }
      apple = try? container.decode(Apple.self, forKey: .itunesExt)
    }

    func compare(_ entry: Entry, _ differences: inout Differences) {
      differences.compare("id", id, entry.id)
      differences.compare("title", title.map { PlainText.of($0) }, entry.title)
      differences.compare("link", link, entry.link)
      differences.compare("published", published, entry.published)
      differences.compare("duration", apple?.duration.flatMap(FeedDuration.parse), entry.duration)
      differences.compare("season", apple?.season.flatMap { Int($0) }, entry.season)
      differences.compare("episode", apple?.episode.flatMap { Int($0) }, entry.episode)
      differences.compare("image", apple?.image, entry.thumbnail)
      let media = [entry.media].compactMap(\.self) + entry.alternates
      for enclosure in enclosures {
        let address = enclosure.url ?? enclosure.href
        let found = media.first { $0.url == address }
        differences.compare("enclosure", address, found?.url)
        differences.compare("enclosure.type", enclosure.type, found?.type)
        differences.compare(
          "enclosure.length", enclosure.length.flatMap { Int($0) }, found?.length)
      }
    }
  }
}

extension KeyedDecodingContainer {
  /// The page of the item: a field of its own, or the first link with that relation.
  fileprivate func link(_ link: Key, _ links: Key) -> String? {
    if let address = try? decode(String.self, forKey: link) { return address }
    let all = (try? decode([Expectation.Item.Enclosure].self, forKey: links)) ?? []
    return all.first { $0.rel == "alternate" }?.href
  }
}
