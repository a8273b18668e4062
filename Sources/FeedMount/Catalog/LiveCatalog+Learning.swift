import Blocks
import Catalog
import FeedReading
import Host
import NIOConcurrencyHelpers
import Storage
import Streaming

/// Takes news of the feed and its origins into the catalog of a running mount.
extension LiveCatalog {
  /// Merges the current `pages`, which were read as one, into the catalog; returns the changes.
  func merge(
    _ window: Feed, of pages: [PageChain.Page], guessing: Bool, answer: PageFacts, now: Int
  ) async -> CatalogChange {
    var change = await learn(at: now) { catalog in
      let change = catalog.merge(
        window, answer: answer, now: now, keep: { _ in true },
        fileExtension: Self.fileExtension(of:))
      catalog.chain.guessesPaged = guessing
      // An empty page was not taken, and neither are its links to further pages.
      if !window.entries.isEmpty || catalog.entries.isEmpty {
        catalog.chain.refreshed(pages, changed: !change.isEmpty)
      }
      return change
    }
    change.removed = dropUnneeded()
    changed(.catalog)
    return change
  }

  /// Takes a further page into the catalog; returns the number of new entries.
  func extend(with page: Feed, of place: PageChain.Page, now: Int) async -> Int {
    let change = await learn(at: now) { catalog in
      let change = catalog.extend(with: page, now: now, fileExtension: Self.fileExtension(of:))
      catalog.chain.read(place, news: change.added.count)
      if catalog.isFull { catalog.chain.full() }
      return change
    }
    _ = dropUnneeded()
    changed(.catalog)
    return change.added.count
  }

  /// Notes that the page after the last one does not exist.
  func noFurtherPage() {
    state.withLockedValue { $0.catalog.chain.missing() }
    changed(.catalog)
  }

  /// Whether the entry is one of the feed's last three: further pages may be wanted soon.
  func isNearEnd(_ number: Int) -> Bool {
    state.withLockedValue { $0.catalog.order.suffix(3).contains(number) }
  }

  /// Notes that the feed's page is still the one that was read last.
  ///
  /// The note is saved with the next change or at the end; if it is lost, the feed is asked again.
  func confirmPage(at now: Int, maxAge: Int?) {
    state.withLockedValue { state in
      state.catalog.confirmPage(at: now, maxAge: maxAge)
      state.revision += 1
    }
  }

  /// Notes the facts that an answer has proved, or confirmed, of the version with `inode`.
  ///
  /// - Parameter url: the address of the answer; nil: the same as before.
  func know(_ body: KnownBody, of inode: UInt64, at url: String? = nil) {
    let isNews = state.withLockedValue { state in
      guard let entry = state.catalog.entry(inode: inode) else { return false }
      state.know(body, of: entry)
      if let url, !entry.media.isPage { state.catalog.choose(url, for: entry.number) }
      // A new time of confirmation alone is not worth saving the catalog.
      let isNews = entry.known?.representation != body.representation
      if isNews {
        state.revision += 1
        state.changes.note(entry.number, at: ChangeLog.now())
      }
      return isNews
    }
    if isNews { changed(.catalog) }
  }

  /// Notes that the version with `inode` is complete. For an empty version that proves the length.
  func completed(_ inode: UInt64) {
    guard let representation = version(of: inode)?.filler.representation,
      representation.length == 0
    else { return }
    learned(representation, of: inode)
  }

  /// Notes that the version with `inode` is stale: its name means the origin's new version from now
  /// on.
  func superseded(_ inode: UInt64) {
    guard let old = entry(inode: inode) else { return }
    maker.replaced(old)
    let shown = version(of: inode)?.filler.representation.map {
      KnownBody($0, type: nil, freshFor: .zero, at: 0)
    }
    let isNews = state.withLockedValue { state in
      guard state.catalog.entry(inode: inode) != nil else { return false }
      _ = state.catalog.supersede(old.number, showing: shown)
      state.changes.note(old.number, at: ChangeLog.now())
      return true
    }
    guard isNews else { return }
    changed(.name(old.name))
    changed(.catalog)
    if old.isPinned, let new = entry(number: old.number) { changed(.pins(inode: new.inode)) }
  }

  /// Notes that the version with `inode` is being played.
  func played(_ inode: UInt64) {
    let isNews = state.withLockedValue { state in
      guard let number = state.catalog.entry(inode: inode)?.number,
        state.catalog.lastPlayed != number
      else { return false }
      state.catalog.played(number)
      return true
    }
    if isNews { changed(.catalog) }
  }

  // MARK: Private

  /// The number of attempts to merge without the lock, so that no lookup waits for a merge. Each
  /// is lost if the catalog changes meanwhile.
  private static let mergesBesideLookups = 3

  private static func fileExtension(of media: Media) -> String {
    MediaType.fileExtension(of: media)
  }

  /// Changes the catalog by what the feed says; saves new entries and titles before the kernel is
  /// told.
  ///
  /// - Parameter body: may be called several times; only one of its outcomes counts.
  private func learn(
    at now: Int, _ body: (inout Catalog) -> CatalogChange
  ) async -> CatalogChange {
    var merged: Merged?
    for _ in 0..<Self.mergesBesideLookups where merged == nil {
      let (before, edition) = state.withLockedValue { ($0.catalog, $0.edition) }
      let merge = Merged(of: before, by: body)
      merged = state.withLockedValue { state in
        guard state.edition == edition else { return nil }
        state.take(merge, at: now)
        return merge
      }
    }
    let taken =
      merged
      ?? state.withLockedValue { state in
        let merge = Merged(of: state.catalog, by: body)
        state.take(merge, at: now)
        return merge
      }
    let (change, titles) = (taken.change, taken.formerTitles)
    if !change.added.isEmpty || !titles.isEmpty {
      await withCheckedContinuation { saved in changed(.numbers { saved.resume() }) }
    }
    for title in titles { changed(.title(title)) }
    if !change.isEmpty { changed(.listing) }
    HeapMemory.giveBack(after: catalog.entries.count)
    return change
  }

  /// Lists the entries before `number` that waited to be saved: they are on the disk now.
  func saved(before number: Int) {
    let listed = state.withLockedValue { state in
      let listed = state.catalog.saved(before: number)
      if let listed {
        state.changes.note(listed, at: ChangeLog.now())
        state.revision += 1
        state.changedAt = WallClock.now()
      }
      return listed
    }
    if listed != nil { changed(.listing) }
  }

  /// Takes entries that the feed has dropped out of the listing, unless they are open, pinned or
  /// complete on disk; returns their numbers.
  func dropUnneeded() -> [Int] {
    let dropped = catalog.kept.filter { !$0.isPinned }
    guard !dropped.isEmpty else { return [] }
    let complete = dropped.filter { $0.known != nil && holding(of: $0).bytes == $0.known?.length }
    let gone = state.withLockedValue { state in
      let needed = Set(complete.map(\.number) + state.open.values.map(\.version.number))
      let catalog = state.catalog
      let isNeeded = { needed.contains($0) || catalog.entry(number: $0)?.isPinned ?? false }
      let gone = state.catalog.dropGone(keep: isNeeded)
        .compactMap { state.catalog.entry(number: $0) }
      if !gone.isEmpty {
        state.changes.note(gone.map(\.number), at: ChangeLog.now())
        state.revision += 1
        state.changedAt = WallClock.now()
      }
      return gone
    }
    for entry in gone {
      changed(.name(entry.name))
      changed(.title(entry.titleName))
    }
    if !gone.isEmpty { changed(.listing) }
    return gone.map(\.number)
  }
}

/// A catalog with the news of a feed.
private struct Merged {
  let before: Catalog
  let after: Catalog
  let change: CatalogChange
  /// Names by title that their entries no longer have.
  let formerTitles: [String]

  init(of before: Catalog, by body: (inout Catalog) -> CatalogChange) {
    var after = before
    change = body(&after)
    after.wait(from: before.nextNumber)
    formerTitles = change.changed.compactMap { [after] number in
      let (old, new) = (before.entry(number: number), after.entry(number: number))
      return old?.titleName == new?.titleName ? nil : old?.titleName
    }
    self.before = before
    self.after = after
  }
}

extension LiveCatalog.State {
  /// Replaces the catalog by the merged one, and tells the origins of open versions their newest
  /// addresses.
  fileprivate mutating func take(_ merged: Merged, at now: Int) {
    let change = merged.change
    catalog = merged.after
    noteClaims(since: merged.before, of: change.changed)
    revision += 1
    if !change.isEmpty { changedAt = now }
    changes.note(change.added + change.changed + change.removed, at: ChangeLog.now())
    for version in open.values.map(\.version) {
      if let entry = catalog.entry(number: version.number) {
        version.origin.moved(to: entry.sources.map(\.url), from: entry.source.url)
      }
    }
  }
}
