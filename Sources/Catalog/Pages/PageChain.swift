import Addresses
import FeedReading

/// The pages of a feed that were read, and the next one to read.
///
/// The first page of a feed shows its newest entries. Older entries are on further pages (RFC 5005
/// §3 and §4, `next_url` of JSON Feed, the `Link` field). Pages are unreliable: entries shift from
/// page to page while they are read, pages lead back to earlier pages, and they end without notice.
///
/// The caller requests each further page at its `following` address, and reports the page with
/// `read`. A refresh begins with the first page. The caller reports with `refreshed` which pages it
/// read.
///
/// Addresses can hold secrets, so a chain is written only to the snapshot.
package struct PageChain: Hashable, Codable, Sendable {
  /// The reason why there is no further page.
  package enum End: String, Hashable, Codable, Sendable {
    /// The last page names no further page.
    case last
    /// The last page names only pages that were read before, or that must not be requested.
    case circle
    /// The last page had no new entry.
    case nothingNew
    /// The next page does not exist.
    case missing
    /// The limit of pages or entries is reached. `endedBecause` tells which.
    case full
  }

  /// A page that was read: the address that was requested, the addresses of the next pages that it
  /// names, and facts from the answer.
  package struct Page: Hashable, Codable, Sendable {
    package let url: String
    package let next: [String]
    package let facts: PageFacts

    package init(url: String, next: [String], facts: PageFacts) {
      self.url = url
      self.next = next
      self.facts = facts
    }
  }

  /// The limit for the pages of a feed. No feed for human readers has that many.
  package static let maxPages = 1000
  /// The limit for the pages that one refresh reads.
  private static let maxRefreshed = 10
  /// The limit for pages in a row without new entries after a shift. Known entries that have moved
  /// down can fill that many pages.
  private static let maxShifted = 10

  /// Whether to try WordPress's addresses, `?paged=N`, if a page names no further page.
  package var guessesPaged = false
  private(set) var pages: [Page] = []
  /// The reason why no page follows; nil while a further page can follow.
  package private(set) var ended: End?
  /// True if entries came or went on the first pages after the last page was read. The entries of
  /// the later pages have then shifted to other pages.
  private var hasShifted = false
  /// The number of pages in a row without new entries since the shift; 0 if there was no shift, or
  /// if new entries have come since.
  private var passedOver = 0

  package init() {}

  /// The number of pages that were read.
  package var count: Int { pages.count }

  /// The address of the next page to request; nil if there is none.
  ///
  /// After a shift this is the last read page once more, because entries that are not in the
  /// catalog yet can have moved to the end of it.
  package var following: String? {
    guard ended == nil, let last = pages.last else { return nil }
    return hasShifted && pages.count > 1 ? last.url : named(by: last)
  }

  /// The reason why no page follows, as a sentence; nil while a further page can follow.
  package var endedBecause: String? {
    switch ended {
    case nil: nil
    case .last: "the feed has no further page"
    case .circle: "every further page that the feed names was read already"
    case .nothingNew: "the last page had no new entries"
    case .missing: "the origin does not have the next page"
    case .full where pages.count >= Self.maxPages:
      "feedfs reads no more than \(Self.maxPages) pages of a feed"
    case .full: "feedfs takes no more entries of this feed"
    }
  }

  // MARK: Events

  /// Records a refresh that has read the pages of `window`: the first page and those that follow
  /// it.
  ///
  /// - Parameter changed: whether entries came or went.
  package mutating func refreshed(_ window: [Page], changed: Bool) {
    let isWhole = window.count >= pages.count
    pages = window + pages.dropFirst(window.count)
    hasShifted = !isWhole && (hasShifted || changed)
    if isWhole || changed {
      ended = nil
      passedOver = 0
      settle()
    }
  }

  /// The further pages that a refresh requests, after the first one.
  package var refreshed: ArraySlice<Page> {
    pages.prefix(Self.maxRefreshed).dropFirst()
  }

  /// Returns the address of the page that a refresh reads after those of `window`; nil if the
  /// refresh reads no further page.
  package func following(_ window: [Page]) -> String? {
    guard let last = window.last, window.count < min(pages.count, Self.maxRefreshed) else {
      return nil
    }
    return named(by: last, besides: Set(window.map(\.url)), count: window.count)
  }

  /// Records that the catalog is full, so that no further page is read.
  package mutating func full() {
    ended = .full
  }

  /// Records that the following page was read. `news` is the number of its new entries.
  package mutating func read(_ page: Page, news: Int) {
    if hasShifted, pages.count > 1, page.url == pages.last?.url {
      pages[pages.count - 1] = page
      hasShifted = false
      passedOver = 1
    } else {
      pages.append(page)
      passedOver = news > 0 || passedOver == 0 ? 0 : passedOver + 1
      let isExpected = passedOver > 0 && passedOver <= Self.maxShifted
      if news == 0, !isExpected { ended = .nothingNew }
    }
    settle()
  }

  /// Records that the following page does not exist (404, 410).
  package mutating func missing() {
    ended = .missing
  }

  // MARK: Private

  private mutating func settle() {
    guard ended == nil, let last = pages.last else { return }
    if pages.count >= Self.maxPages {
      ended = .full
    } else if named(by: last) == nil {
      ended = last.next.isEmpty && !guessesPaged ? .last : .circle
    }
  }

  /// Returns the address of the next page: the first address that `page` names, that was not read
  /// and is allowed to be requested; nil if there is none.
  private func named(by page: Page) -> String? {
    named(by: page, besides: Set(pages.map(\.url)), count: pages.count)
  }

  private func named(by page: Page, besides seen: Set<String>, count: Int) -> String? {
    let names = page.next.isEmpty && guessesPaged ? guess(count + 1) : page.next
    return names.first { !seen.contains($0) && Self.mayFollow($0, from: page.url) }
  }

  /// Returns the address that page `number` has on a WordPress site, where pages count from 1;
  /// empty if it cannot be made.
  private func guess(_ number: Int) -> [String] {
    guard let first = pages.first, var address = try? WebAddress.Parts(first.url) else {
      return []
    }
    let others = (address.query ?? "").split(separator: "&").filter { !$0.hasPrefix("paged=") }
    address.query = (others.map(String.init) + ["paged=\(number)"])
      .joined(separator: "&")
    return [address.text]
  }

  /// Whether a page is allowed to lead to `next`: only to http and https, and never from https to
  /// http.
  private static func mayFollow(_ next: String, from page: String) -> Bool {
    guard let next = try? WebAddress.Parts(next) else { return false }
    return next.scheme == "https" || !page.lowercased().hasPrefix("https:")
  }
}
