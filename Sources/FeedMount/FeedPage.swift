import Feeds
import HTTP

/// Reading one page of a feed into the catalog.
enum FeedPage {
  /// Why a page gave nothing.
  enum Failure: Error {
    case http(HTTPError)
    case feed(address: String, FeedError)

    var description: String {
      switch self {
      case .http(let error): error.description
      case .feed(let address, let error): "\(address): \(error)"
      }
    }
  }

  /// Asks for the page if it has changed, and takes what it says.
  ///
  /// Returns a sentence if the page was read but could not be used as it was; nil if all is well.
  static func read(
    _ url: String, into live: LiveCatalog, by client: HTTPClient, now: @Sendable () -> Int
  ) async throws(Failure) -> String? {
    let known = live.catalog.page
    let document: Document
    do {
      document = try await client.get(
        DocumentRequest(
          url: url, entityTag: known.entityTag, lastModified: known.lastModified))
    } catch {
      throw .http(error)
    }
    let maxAge = document.freshFor.map { Int($0.components.seconds) }
    if document.status == 304 {
      live.confirmPage(at: now(), maxAge: maxAge)
      return nil
    }
    let feed = try parse(document)
    let answer = PageFacts(
      entityTag: document.entityTag, lastModified: document.lastModified, maxAge: maxAge)
    return live.merge(feed, answer: answer, now: now()).ignoredBecause
  }

  private static func parse(_ document: Document) throws(Failure) -> Feed {
    do {
      return try FeedParser.parse(document.bytes, base: document.finalURL)
    } catch {
      throw .feed(address: shown(document.finalURL), error)
    }
  }
}
