import Addresses
import Catalog
package import FeedReading
import HTTP
package import Host
import SystemPackage

/// Reads a feed without mounting it.
package enum FeedPreview {
  /// Reads the document at the address. If it is a web page that names a feed, does not read that
  /// feed.
  ///
  /// - Parameter choice: a choice that passes its `check`.
  package static func document(
    _ choice: FeedChoice, network: NetworkOptions
  ) async throws(CommandError) -> Feed {
    try await feed(of: choice, network) { page throws(FeedPage.Failure) in
      try await page.get(choice.firstAsked)
    }
  }

  /// Reads the first page of a feed. The result's `newURL` is the address that the feed announces,
  /// or else the target of permanent redirects, without secrets.
  ///
  /// - Parameters:
  ///   - choice: a choice that passes its `check`.
  ///   - base: the address to which the references in a file are relative; nil for the file's own
  ///     address. A file is read without any request.
  package static func read(
    _ choice: FeedChoice, base: String?, network: NetworkOptions
  ) async throws(CommandError) -> Feed {
    try await feed(of: choice, network) { page throws(FeedPage.Failure) in
      choice.firstPage.hasPrefix("file:")
        ? try page.file(choice.firstPage, base: base)
        : try await page.first(unless: PageFacts(), at: choice.moved)
    }
  }

  private static func feed(
    of choice: FeedChoice, _ network: NetworkOptions,
    _ ask: (FeedPage) async throws(FeedPage.Failure) -> FeedPage.Answer
  ) async throws(CommandError) -> Feed {
    let client: HTTPClient
    do { client = try HTTPClient(network.configuration(for: [choice])) } catch {
      throw CommandError(any: error)
    }
    defer { client.shutDown() }
    do throws(FeedPage.Failure) {
      let answer = try await ask(FeedPage(choice: choice, client: client))
      guard case .page(var feed, _, let place) = answer else {
        throw .http(.status(url: WebAddress.shown(choice.firstAsked), 304))
      }
      feed.newURL = feed.newURL ?? place.target.flatMap { try? FeedKey($0).shown }
      return feed
    } catch {
      throw CommandError(error)
    }
  }
}
