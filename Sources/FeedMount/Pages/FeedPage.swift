import Addresses
import Blocks
import Control
import Catalog
import FeedReading
import HTTP
import Host
import SystemPackage
import World

/// Fetches the pages of one feed.
struct FeedPage: Sendable {
  /// The place where a page was found.
  struct Place: Hashable, Sendable {
    /// The address after all redirects.
    let url: String
    /// True when there were redirects to it, and each was permanent.
    var hasMoved = false

    /// The target of permanent redirects; nil if there were none.
    var target: String? { hasMoved ? url : nil }
  }

  /// The result of a request that was answered.
  enum Answer: Sendable {
    /// The page has not changed since it was read last. It is fresh for `maxAge` seconds.
    case unchanged(maxAge: Int?, at: Place)
    case page(Feed, PageFacts, at: Place)
  }

  /// The reason why a request brought no page.
  enum Failure: Error {
    case http(HTTPError)
    case file(path: String, Errno)
    case feed(address: String, FeedError)
    /// The page is a list of feeds.
    case list([FeedLink])
    /// The network mode allows no fetch.
    case forbidden(NetworkMode)

    var description: String {
      switch self {
      case .http(let error): error.description
      case .file(let path, .isDirectory): "\(path) is a directory, and not a feed"
      case .file(let path, let error):
        "\(path) cannot be read (\(error)); check that it is there, and that you may read it"
      case .feed(let address, let error): "\(address): \(error)"
      case .forbidden(let mode):
        "feedfs fetches nothing, because the mount is \(mode.rawValue); `feedfs online` changes that"
      case .list:
        "the address leads to a list of feeds now; unmount, and mount again to have these feeds"
      }
    }

    /// The time for which the origin wants no further request; nil if it names none.
    var retryAfter: Duration? {
      if case .http(.busy(_, let delay)) = self { return delay }
      return nil
    }

    var isUnanswered: Bool {
      if case .http(.unanswered) = self { return true }
      return false
    }

    /// True if the failure says something about the asked address, and not about this mount or the
    /// moment.
    var concernsAddress: Bool {
      switch self {
      case .forbidden, .http(.cancelled), .http(.busy), .http(.unavailable): false
      case .http, .file, .feed, .list: true
      }
    }

    /// True if the page does not exist, or does not exist any more.
    var isMissing: Bool {
      if case .http(.status(_, let code, _)) = self { return code == 404 || code == 410 }
      return false
    }
  }

  let choice: FeedChoice
  let client: any DocumentClient
  /// The cookies that the feed's pages share. Each refresh begins with no cookies.
  let cookies = CookieJar()

  /// Returns the first page, or `unchanged` if it is still the page that `known` describes. If the
  /// first page is an HTML page that names a feed, returns that feed. The HTML page is asked again
  /// only when that feed is missing.
  ///
  /// - Parameter moved: the address to which the feed has moved; nil if it has not.
  func first(unless known: PageFacts, at moved: String? = nil) async throws(Failure) -> Answer {
    if let moved { return try await self.moved(to: moved, unless: known) }
    if let address = known.address {
      do throws(Failure) {
        return try await linked(address, unless: known)
      } catch {
        guard error.isMissing else { throw error }
      }
    }
    let answer = try await get(
      choice.firstPage, unless: known.address == nil ? known : PageFacts())
    guard case .page(let feed, _, _) = answer, feed.kind == .index else { return answer }
    // Some servers answer with their home page in place of the feed. That does not mean that the
    // feed has moved, so it is a failure.
    if known.address == nil, let kind = known.kind, kind != .index {
      throw .feed(address: WebAddress.shown(choice.firstPage), .notAFeed(looksLike: "an HTML page"))
    }
    guard feed.entries.isEmpty, let link = feed.feeds.first else { return answer }
    return try await linked(link.url, unless: PageFacts())
  }

  private func linked(_ address: String, unless known: PageFacts) async throws(Failure) -> Answer {
    let answer = try await get(address, unless: known)
    guard case .page(let feed, var facts, let place) = answer else { return answer }
    facts.address = address
    return .page(feed, facts, at: place)
  }

  private func moved(
    to address: String, unless known: PageFacts
  ) async throws(Failure) -> Answer {
    let answer = try await get(address, unless: known)
    guard case .page(let feed, var facts, let place) = answer else { return answer }
    if feed.kind == .index, let kind = known.kind, kind != .index {
      throw .feed(address: WebAddress.shown(address), .notAFeed(looksLike: "an HTML page"))
    }
    // The typed web page named this address. It is needed if the feed moves back to it.
    facts.address = known.address
    return .page(feed, facts, at: place)
  }

  /// Returns a page, or `unchanged` if it is still the page that `known` describes.
  func get(
    _ url: String, unless known: PageFacts = PageFacts()
  ) async throws(Failure) -> Answer {
    if url.hasPrefix("file:") { return try file(url, base: nil) }
    let document: Document
    do {
      document = try await client.get(request(for: url, unless: known))
    } catch {
      throw .http(error)
    }
    let maxAge = document.freshFor.map { Int($0.components.seconds) }
    let place = Place(url: document.finalURL, hasMoved: document.hasMoved)
    if document.status == 304 { return .unchanged(maxAge: maxAge, at: place) }
    var feed = try parse(document.bytes, base: document.finalURL)
    for address in LinkField.following(document.link, base: document.finalURL)
    where !feed.next.contains(address) {
      feed.next.append(address)
    }
    var facts = PageFacts(
      entityTag: document.entityTag, lastModified: document.lastModified, maxAge: maxAge)
    facts.choice = choice.media
    facts.rules = PageFacts.currentRules
    facts.kind = feed.kind
    return .page(feed, facts, at: place)
  }

  /// The first request for a feed that was never read; nil if the feed is a file.
  var firstRequest: DocumentRequest? {
    let url = choice.firstAsked
    return url.hasPrefix("file:") ? nil : request(for: url, unless: PageFacts())
  }

  /// Returns the feeds of the page if it is a list of feeds, else nil.
  func list() async throws(Failure) -> [FeedLink]? {
    guard case .page(let feed, _, _) = try await get(choice.firstAsked), feed.kind == .opml,
      !feed.recovered
    else { return nil }
    return feed.feeds
  }

  /// Returns the page in the local file `url`. Its references are relative to `base`, or to `url`.
  func file(_ url: String, base: String?) throws(Failure) -> Answer {
    let path = String(url.dropFirst("file://".count))
    let bytes: [UInt8]
    do { bytes = try LocalFile.contents(path) } catch { throw .file(path: path, error) }
    return .page(try parse(bytes, base: base ?? url), PageFacts(), at: Place(url: url))
  }

  // MARK: Private

  private func request(for url: String, unless known: PageFacts) -> DocumentRequest {
    var request = DocumentRequest(
      url: url, entityTag: known.entityTag, lastModified: known.lastModified)
    request.feed = choice.typed
    request.cookies = cookies
    return request
  }

  private func parse(_ bytes: [UInt8], base: String) throws(Failure) -> Feed {
    do {
      let feed = try FeedParser.parse(bytes, base: base, choice: choice.media)
      HeapMemory.giveBack(after: feed.entries.count)
      return feed
    } catch {
      throw .feed(address: base.hasPrefix("file:") ? base : WebAddress.shown(base), error)
    }
  }
}

extension CommandError {
  init(_ failure: FeedPage.Failure) {
    switch failure {
    case .http(let error): self.init(error)
    case .feed(_, .noLibrary): self.init(.unavailable, failure.description)
    case .file, .feed, .list: self.init(.noInput, failure.description)
    case .forbidden: self.init(.tryLater, failure.description)
    }
  }
}
