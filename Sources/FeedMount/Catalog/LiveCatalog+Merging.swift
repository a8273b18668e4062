import Host
import Blocks
import Catalog
import FeedReading
import Locks
import World

/// Merges pages of the feed into the catalog of a running mount. Each page is merged, saved, and
/// then published.
extension LiveCatalog {
  /// The news that a page has brought. New entries and titles wait until they are saved.
  struct News: Sendable {
    var change: CatalogChange
    /// The former names in `by-title` of entries whose name there has changed.
    fileprivate var formerTitles: [String] = []
    /// Inodes of versions without a validator whose address has changed. Only the address
    /// identified their bytes, so their cached bytes are not used any more.
    fileprivate var moved: [UInt64] = []

    /// True if the kernel must be told only after the catalog is saved.
    var waitsForSave: Bool { !change.added.isEmpty || !formerTitles.isEmpty }
  }

  /// Merges the current `pages` into the catalog. `window` has the entries of all these pages.
  /// `guessing` says whether the addresses of further pages are guessed if no page names them.
  /// `now` is in seconds since 1970. Returns the news for `publish`.
  func merge(
    _ window: Feed, of pages: [PageChain.Page], guessing: Bool, answer: PageFacts, now: Int
  ) -> News {
    take(at: now) { catalog in
      let change = catalog.merge(
        window, answer: answer, now: now, keep: { _ in true },
        fileExtension: MediaType.fileExtension(of:))
      catalog.chain.guessesPaged = guessing
      // The merge ignores an empty page if entries are known. Its links to further pages are
      // ignored too.
      if !window.entries.isEmpty || catalog.entries.isEmpty {
        catalog.chain.refreshed(pages, changed: !change.isEmpty)
      }
      return change
    }
  }

  /// Merges a further page into the catalog. Returns the news for `publish`.
  func extend(with page: Feed, of place: PageChain.Page, now: Int) -> News {
    take(at: now) { catalog in
      let change = catalog.extend(
        with: page, now: now, fileExtension: MediaType.fileExtension(of:))
      catalog.chain.read(place, news: change.added.count)
      if catalog.isFull { catalog.chain.full() }
      return change
    }
  }

  /// Decides again which entries the user's rules leave out, and publishes the changes. The
  /// snapshot does not contain this decision, so nothing needs to be saved.
  ///
  /// - Parameter rules: the new rules; nil if they are the same and only time has passed.
  func sift(by rules: EntryRules? = nil) {
    if rules == nil, catalog.rules.isEmpty { return }
    let now = wall.seconds
    let news = take(at: now) { catalog in
      if let rules { catalog.rules = rules }
      var change = CatalogChange()
      catalog.sift(at: now, into: &change)
      return change
    }
    for entry in news.change.added.compactMap({ entry(number: $0) }) {
      changed(.nameChanged(entry.name))
      changed(.titleChanged(entry.titleName))
    }
    let gone = dropUnneeded()
    if !gone.isEmpty || !news.change.isEmpty { findTypicalLength() }
  }

  /// Publishes the news of a page. Then removes from the listing the entries that have left the
  /// feed.
  func publish(_ news: News) {
    for title in news.formerTitles { changed(.titleChanged(title)) }
    for inode in news.moved {
      forgot(inode)
      changed(.pinsChanged(inode))
    }
    _ = dropUnneeded()
    findTypicalLength()
    changed(.catalogChanged)
    HeapMemory.giveBack(after: catalog.entries.count)
  }

  /// Changes the catalog as a page says. Only new entries and titles wait until they are saved, so
  /// the kernel is told of all other changes at once.
  private func take(at now: Int, _ body: (inout Catalog) -> CatalogChange) -> News {
    let news = merged(at: now, body)
    if !news.change.isEmpty { changed(.listingChanged) }
    return news
  }

  /// Merges a page into a copy of the catalog, so that lookups need not wait for a lock.
  ///
  /// - Parameter body: merges the page; called again if the catalog has changed too much during the
  ///   call.
  private func merged(at now: Int, _ body: (inout Catalog) -> CatalogChange) -> News {
    merging.lock()
    defer { merging.unlock() }
    while true {
      let before = state.withLock { $0.catalog.beginMerge() }
      var after = before
      let change = body(&after)
      after.wait(from: before.nextNumber)
      let news = News(
        change: change, formerTitles: Self.formerTitles(before, after, change),
        moved: Self.moved(before, after, change))
      let claims = FormerClaim.all(before, after, change)
      let numbers = change.added + change.changed + change.removed
      // Lookups wait for this lock, so nothing is built, searched or freed under it.
      let isTaken = state.withLock { state in
        guard state.catalog.endMerge(&after) else { return false }
        state.note(claims)
        state.noteNews(of: numbers, at: now, wall.microseconds())
        return true
      }
      if isTaken { return news }
    }
  }

  private static func moved(
    _ before: Catalog, _ after: Catalog, _ change: CatalogChange
  ) -> [UInt64] {
    change.changed.compactMap { number in
      guard let old = before.entry(number: number), let new = after.entry(number: number),
        new.known?.representation.validator == Validator.none, old.source.url != new.source.url
      else { return nil }
      return new.inode
    }
  }

  private static func formerTitles(
    _ before: Catalog, _ after: Catalog, _ change: CatalogChange
  ) -> [String] {
    change.changed.compactMap { number in
      let (old, new) = (before.entry(number: number), after.entry(number: number))
      return old?.titleName == new?.titleName ? nil : old?.titleName
    }
  }
}

extension LiveCatalog.State {
  /// Notes the news of a merged page, about the entries with these numbers. Tells the origins of
  /// open versions their newest addresses.
  fileprivate mutating func noteNews(of numbers: [Int], at now: Int, _ microseconds: Int) {
    revision += 1
    if !numbers.isEmpty { changedAt = now }
    changes.note(numbers, at: microseconds)
    for version in open.values.map(\.version) {
      if let entry = catalog.current.entry(number: version.number) {
        version.origin.moved(
          to: entry.sources.map(\.url), from: entry.source.url, streams: entry.streamAddresses)
      }
    }
  }
}
