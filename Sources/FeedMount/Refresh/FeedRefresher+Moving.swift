import Catalog
import FeedReading

/// Reads a feed that moves to other addresses, as `FeedMove` decides.
extension FeedRefresher {
  /// Returns the feed's first page from its current address.
  ///
  /// If two refreshes in a row say that the feed has moved, later requests go to the new address.
  /// If the new address fails, this asks the old address, because the feed can be there again.
  func firstPage(unless known: PageFacts) async throws(FeedPage.Failure) -> FeedPage.Answer {
    let home = known.address ?? page.choice.firstPage
    let (answer, asked) = try await presentPage(unless: known, home: home)
    let sight =
      switch answer {
      case .unchanged(_, let place):
        FeedMove.Sight(asked: asked, redirect: place.target, page: nil)
      case .page(let feed, _, let place):
        FeedMove.Sight(
          asked: asked, redirect: place.target, page: FeedMove.Page(feed, before: known.kind))
      }
    switch live.move({ $0.saw(sight, home: home) }) {
    case .stay: return answer
    case .followed(let address):
      moved(address)
      return answer
    case .ask(let address):
      return try await nextPage(at: address, unless: known, home: home) ?? answer
    }
  }

  /// Returns the first page, and the address that was asked for it.
  private func presentPage(
    unless known: PageFacts, home: String
  ) async throws(FeedPage.Failure) -> (FeedPage.Answer, asked: String) {
    guard let present = live.catalog.move.address else {
      return (try await page.first(unless: known), home)
    }
    let failure: FeedPage.Failure
    do throws(FeedPage.Failure) {
      return (try await page.first(unless: known, at: present), present)
    } catch {
      failure = error
    }
    guard failure.concernsAddress else { throw failure }
    live.move { $0.failed(failure.description) }
    guard let old = try? await page.first(unless: known.unconditional),
      case .page(var feed, let facts, let place) = old, feed.kind != .opml
    else { throw failure }
    // The page at the old address can be outdated. So it takes no entry away, and its validators
    // are not remembered as those of the new address.
    feed.isPartial = true
    return (.page(feed, facts.unconditional, at: place), home)
  }

  /// Asks for the feed at an address to which it says that it has moved. Returns its page, or nil
  /// if the feed stays where it is.
  private func nextPage(
    at address: String, unless known: PageFacts, home: String
  ) async throws(FeedPage.Failure) -> FeedPage.Answer? {
    do throws(FeedPage.Failure) {
      let answer = try await page.first(unless: known.unconditional, at: address)
      guard case .page(let feed, _, let place) = answer else { return nil }
      let content = FeedMove.Page(feed, before: known.kind)
      guard live.move({ $0.reached(address, content, from: place.url, home: home) }) else {
        return nil
      }
      moved(address)
      return answer
    } catch {
      guard error.concernsAddress else { throw error }
      live.move { $0.failed(error.description) }
      return nil
    }
  }
}
