import Control
import Feeds
import HTTP
import SystemPackage

/// Asking for the pages of one feed.
struct FeedPage: Sendable {
  /// What an answer brought.
  enum Answer: Sendable {
    /// The page is still the one that was read last; seconds for which this holds.
    case unchanged(maxAge: Int?)
    /// `url` is where it was found.
    case page(Feed, PageFacts, url: String)
  }

  /// Why a page gave nothing.
  enum Failure: Error {
    case http(HTTPError)
    case file(path: String, Errno)
    case feed(address: String, FeedError)
    /// It is a list of feeds.
    case list([FeedLink])
    /// The user wants nothing to be fetched.
    case held(Mode)

    var description: String {
      switch self {
      case .http(let error): error.description
      case .file(let path, let error): "\(path) cannot be read (\(error)); is it there, and yours?"
      case .feed(let address, let error): "\(address): \(error)"
      case .held(let mode):
        "nothing is fetched, since the mount is \(mode.rawValue); `feedfs online` ends that"
      case .list: "this is a list of feeds now; unmount, and mount it again to have them"
      }
    }

    /// What the server asked for.
    var retryAfter: Duration? {
      if case .http(.busy(_, let delay)) = self { return delay }
      return nil
    }

    var isUnanswered: Bool {
      if case .http(.unanswered) = self { return true }
      return false
    }

    /// There is no such page (any more).
    var isMissing: Bool {
      if case .http(.status(_, let code)) = self { return code == 404 || code == 410 }
      return false
    }
  }

  let choice: FeedChoice
  let client: HTTPClient

  /// The first page, if it is not the one that `known` tells of. An HTML page that names a feed leads
  /// to it, and is only asked again when the feed is not there any more.
  func first(unless known: PageFacts) async throws(Failure) -> Answer {
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
    // Servers answer with their home page where a feed should be, and mean nothing by it.
    if known.address == nil, let kind = known.kind, kind != .index {
      throw .feed(address: shown(choice.firstPage), .notAFeed(looksLike: "an HTML page"))
    }
    guard feed.entries.isEmpty, let link = feed.feeds.first else { return answer }
    return try await linked(link.url, unless: PageFacts())
  }

  private func linked(_ address: String, unless known: PageFacts) async throws(Failure) -> Answer {
    let answer = try await get(address, unless: known)
    guard case .page(let feed, var facts, let url) = answer else { return answer }
    facts.address = address
    return .page(feed, facts, url: url)
  }

  /// A page, if it is not the one that `known` tells of.
  func get(
    _ url: String, unless known: PageFacts = PageFacts()
  ) async throws(Failure) -> Answer {
    if url.hasPrefix("file:") { return try file(url, base: nil) }
    let document: Document
    do {
      var request = DocumentRequest(
        url: url, entityTag: known.entityTag, lastModified: known.lastModified)
      request.feed = choice.typed
      document = try await client.get(request)
    } catch {
      throw .http(error)
    }
    let maxAge = document.freshFor.map { Int($0.components.seconds) }
    if document.status == 304 { return .unchanged(maxAge: maxAge) }
    var feed = try parse(document.bytes, base: document.finalURL)
    for address in LinkField.following(document.link, base: document.finalURL)
    where !feed.next.contains(address) {
      feed.next.append(address)
    }
    var facts = PageFacts(
      entityTag: document.entityTag, lastModified: document.lastModified, maxAge: maxAge)
    facts.choice = choice.media
    facts.kind = feed.kind
    return .page(feed, facts, url: document.finalURL)
  }

  /// The feeds that it names, if it is a list of feeds.
  func list() async throws(Failure) -> [FeedLink]? {
    guard case .page(let feed, _, _) = try await get(choice.firstPage), feed.kind == .opml,
      !feed.recovered
    else { return nil }
    return feed.feeds
  }

  /// The page in the user's file `url`, whose addresses are relative to `base` or to itself.
  func file(_ url: String, base: String?) throws(Failure) -> Answer {
    let path = String(url.dropFirst("file://".count))
    let bytes: [UInt8]
    do { bytes = try LocalFile.contents(path) } catch { throw .file(path: path, error) }
    return .page(try parse(bytes, base: base ?? url), PageFacts(), url: url)
  }

  // MARK: Private

  private func parse(_ bytes: [UInt8], base: String) throws(Failure) -> Feed {
    do {
      let feed = try FeedParser.parse(bytes, base: base, choice: choice.media)
      HeapMemory.giveBack(after: feed.entries.count)
      return feed
    } catch {
      throw .feed(address: base.hasPrefix("file:") ? base : shown(base), error)
    }
  }
}

extension MountError {
  init(_ failure: FeedPage.Failure) {
    switch failure {
    case .http(let error): self.init(error)
    case .file, .feed, .list: self.init(.noInput, failure.description)
    case .held: self.init(.tryLater, failure.description)
    }
  }
}
