/// Which pages of a feed were read, and which one comes next.
///
/// A feed is a window on its newest entries; what is older lies on further pages (RFC 5005 §3 and §4,
/// `next_url` of JSON Feed, the `Link` field). They promise nothing: they shift while they are read,
/// go round in circles and end without a word. Each further page is asked for by its `following`
/// address and told with `read`; a refresh begins with the first one, and tells with `refreshed` how
/// far it came.
///
/// Addresses may hold secrets: a chain is part of the snapshot only.
package struct PageChain: Hashable, Codable, Sendable {
  /// Why there is no further page.
  package enum End: String, Hashable, Codable, Sendable {
    /// The last one names none.
    case last
    /// It names only such as were read before, or may not be asked for.
    case circle
    /// It had no entry that was not known.
    case nothingNew
    /// It is not there.
    case missing
    /// More are not read.
    case full
  }

  /// A page that was read: the address at which it was asked for, those that it names next, and what its
  /// answer said of it.
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

  /// More pages than any feed has that is meant to be read by people.
  package static let mostPages = 1000
  /// Pages that one refresh reads.
  private static let mostRefreshed = 10
  /// Pages without news that are passed over after the feed has grown at its top: as much may have
  /// moved down.
  private static let mostShifted = 10

  /// Whether further pages are looked for as WordPress has them, `?paged=N`, where none is named.
  package var guessesPaged = false
  private(set) var pages: [Page] = []
  /// Nil as long as there may be another page.
  package private(set) var ended: End?
  /// Entries came or went since the last page was read, so that all behind has moved.
  private var hasShifted = false
  /// Pages without news in a row since then.
  private var passedOver = 0

  package init() {}

  /// Pages that were read.
  package var count: Int { pages.count }

  /// What is to be asked for next; nil: nothing.
  ///
  /// After the feed has shifted this is the last page again: behind what it has in common with what is
  /// known, it goes on.
  package var following: String? {
    guard ended == nil, let last = pages.last else { return nil }
    return hasShifted && pages.count > 1 ? last.url : named(by: last)
  }

  // MARK: What happens

  /// The first page was read anew, and as many behind it as `window` has.
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

  /// The pages behind the first one that a refresh asks for.
  package var refreshed: ArraySlice<Page> {
    pages.prefix(Self.mostRefreshed).dropFirst()
  }

  /// What follows the last page of `window` in a refresh, as far as pages were read before.
  package func following(_ window: [Page]) -> String? {
    guard let last = window.last, window.count < min(pages.count, Self.mostRefreshed) else {
      return nil
    }
    return named(by: last, besides: Set(window.map(\.url)), count: window.count)
  }

  /// No more entries are taken.
  package mutating func full() {
    ended = .full
  }

  /// The following page was read; `news` counts the entries that were not known.
  package mutating func read(_ page: Page, news: Int) {
    if hasShifted, pages.count > 1, page.url == pages.last?.url {
      pages[pages.count - 1] = page
      hasShifted = false
      passedOver = 1
    } else {
      pages.append(page)
      passedOver = news > 0 || passedOver == 0 ? 0 : passedOver + 1
      let isExpected = passedOver > 0 && passedOver <= Self.mostShifted
      if news == 0, !isExpected { ended = .nothingNew }
    }
    settle()
  }

  /// The following page is not there (404, 410).
  package mutating func missing() {
    ended = .missing
  }

  // MARK: Private

  private mutating func settle() {
    guard ended == nil, let last = pages.last else { return }
    if pages.count >= Self.mostPages {
      ended = .full
    } else if named(by: last) == nil {
      ended = last.next.isEmpty && !guessesPaged ? .last : .circle
    }
  }

  /// The first address that a page names for the next one, which was not read and may be asked for.
  private func named(by page: Page) -> String? {
    named(by: page, besides: Set(pages.map(\.url)), count: pages.count)
  }

  private func named(by page: Page, besides seen: Set<String>, count: Int) -> String? {
    let names = page.next.isEmpty && guessesPaged ? guess(count + 1) : page.next
    return names.first { !seen.contains($0) && Self.mayFollow($0, from: page.url) }
  }

  /// WordPress counts from 1.
  private func guess(_ number: Int) -> [String] {
    guard let first = pages.first else { return [] }
    var address = URLReference(first.url)
    let others = (address.query ?? "").split(separator: "&").filter { !$0.hasPrefix("paged=") }
    address.query = (others.map(String.init) + ["paged=\(number)"])
      .joined(separator: "&")
    return [address.text]
  }

  /// Only http and https, and never down from https.
  private static func mayFollow(_ next: String, from page: String) -> Bool {
    guard let next = try? HTTPAddress(next) else { return false }
    return next.scheme == "https" || !page.lowercased().hasPrefix("https:")
  }
}

extension PageChain.End: CustomStringConvertible {
  package var description: String {
    switch self {
    case .last: "the feed has no further page"
    case .circle: "the feed names no further page that was not read"
    case .nothingNew: "the last page had nothing new"
    case .missing: "the next page is not there"
    case .full: "no more pages than \(PageChain.mostPages) are read"
    }
  }
}
