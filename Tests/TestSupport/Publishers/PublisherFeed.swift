/// A feed in the shape in which a publisher writes it, with what a person expects of it.
///
/// In documents and addresses, "{o}" stands for the origin, such as "https://media.example".
package struct PublisherFeed: Sendable, CustomStringConvertible {
  /// The expectation for one item of the document.
  package struct Item: Sendable {
    /// Without any option.
    package let wanted: Wish
    /// With `--max-height 720`.
    package let upTo720: Wish
    /// With `--audio`.
    package let withAudio: Wish
    /// With a resolver for its pages; nil if a resolver makes no difference.
    package let resolved: Wish?
    /// True if the feed says that its page has something to watch. A mount without a resolver reads
    /// the page itself then.
    package var isAnnounced = false
  }

  package enum Wish: Sendable, Hashable {
    /// The address of the bytes, with "{o}".
    case file(String)
    /// The reason why it is no file, or some words of it.
    case told(String)
    /// The address of a page that a resolver is asked for, with "{o}".
    case page(String)

    package func at(_ origin: String) -> Wish {
      switch self {
      case .file(let url): .file(url.replacing("{o}", with: origin))
      case .page(let url): .page(url.replacing("{o}", with: origin))
      case .told: self
      }
    }
  }

  /// The publisher and the form: "PeerTube, podcast feed".
  package let name: String
  /// The path of the document at the origin, with its query.
  package let path: String
  /// The media type of the document.
  package let type: String
  private let document: String
  /// The expectations, in the order of the document.
  package let items: [Item]
  /// Words of the error for a document that is no feed.
  package let refusal: String?

  package var description: String { name }

  package init(
    _ name: String, at path: String, _ type: String, items: [Item], refusal: String? = nil,
    _ document: String
  ) {
    self.name = name
    self.path = path
    self.type = type
    self.items = items
    self.refusal = refusal
    self.document = document
  }

  /// Returns the document as `origin` serves it.
  package func document(at origin: String) -> String {
    document.replacing("{o}", with: origin)
  }

  /// All rows of the table.
  package static let all =
    sites + fediverse + podcasts + broadcasters + listings + lists + refused
}

extension PublisherFeed.Item {
  /// An item that is this file, whatever the options.
  package static func file(
    _ url: String, upTo720: String? = nil, audio: String? = nil
  ) -> PublisherFeed.Item {
    PublisherFeed.Item(
      wanted: .file(url), upTo720: .file(upTo720 ?? url), withAudio: .file(audio ?? url),
      resolved: nil)
  }

  /// An item that is no file, and says why.
  ///
  /// - Parameters:
  ///   - audio: the file that it is with `--audio`.
  ///   - page: the page that a resolver is asked for.
  package static func told(
    _ reason: String, audio: String? = nil, page: String? = nil
  ) -> PublisherFeed.Item {
    PublisherFeed.Item(
      wanted: .told(reason), upTo720: .told(reason),
      withAudio: audio.map { .file($0) } ?? .told(reason),
      resolved: page.map { .page($0) })
  }
}

extension PublisherFeed.Item {
  /// An item whose `page` is said to have something to watch.
  package static func announced(_ reason: String, page: String) -> PublisherFeed.Item {
    var item = told(reason, page: page)
    item.isAnnounced = true
    return item
  }
}

/// The names of the namespaces that the rows use.
enum PublisherNames {
  static let media = #"xmlns:media="http://search.yahoo.com/mrss/""#
  static let itunes = #"xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd""#
  static let podcast = #"xmlns:podcast="https://podcastindex.org/namespace/1.0""#
  static let content = #"xmlns:content="http://purl.org/rss/1.0/modules/content/""#
  static let dublinCore = #"xmlns:dc="http://purl.org/dc/elements/1.1/""#

  /// An RSS document that declares all of them.
  static func rss(_ title: String, channel: String = "", _ items: String) -> String {
    let names = [media, itunes, podcast, content, dublinCore].joined(separator: " ")
    return """
      <?xml version="1.0" encoding="UTF-8"?><rss version="2.0" \(names)>
      <channel><title>\(title)</title>\(channel)\(items)</channel></rss>
      """
  }
}
