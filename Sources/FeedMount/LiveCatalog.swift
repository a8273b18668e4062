import Blocks
import Feeds
import Fuse
import Glibc
import NIOConcurrencyHelpers
import Storage
import Streaming
import SystemPackage

/// The catalog as it lives in a mount: which versions are open, and what is known of the others.
///
/// Safe from any thread. Under the lock of `state` no other is taken but an origin's, a leaf;
/// `opening` is taken before it by those who open, and may be held while a cache file is opened.
/// What follows from a change (telling the kernel, saving) is the owner's, which is told with no lock
/// held.
final class LiveCatalog: Sendable {
  enum Change: Sendable {
    /// The catalog should be saved.
    case catalog
    /// The kernel should forget what this name means.
    case name(String)
    /// The kernel should forget what this name means in `by-title`.
    case title(String)
    /// Something came or went, or is called otherwise.
    case listing
    /// The kernel should forget the attributes of the inode, before `then` is called.
    case attributes(UInt64, then: @Sendable () -> Void)
    /// Nobody has this version open any more.
    case idle(EntryVersion)
  }

  private struct Open {
    let version: EntryVersion
    var count: Int
  }

  private struct State {
    var catalog: Catalog
    var open: [UInt64: Open] = [:]
    /// Bytes on disk of versions that are not open, as far as somebody asked.
    var stored: [UInt64: Int] = [:]
    var revision = 0
    /// Seconds since 1970, when the listing last changed; 0: not since the mount was made.
    var changedAt = 0
  }

  private let state: NIOLockedValueBox<State>
  private let opening = NIOLock()
  private let maker: VersionMaker
  private let changed: @Sendable (Change) -> Void

  init(
    _ catalog: Catalog, maker: VersionMaker, changed: @escaping @Sendable (Change) -> Void
  ) {
    state = NIOLockedValueBox(State(catalog: catalog))
    self.maker = maker
    self.changed = changed
  }

  /// A number that grows when the listing changes.
  var revision: Int {
    state.withLockedValue { $0.revision }
  }

  /// Seconds since 1970, when the listing last changed; 0: not since the mount was made.
  var changedAt: Int {
    state.withLockedValue { $0.changedAt }
  }

  var catalog: Catalog {
    state.withLockedValue { $0.catalog }
  }

  /// The versions that are open.
  var openVersions: [EntryVersion] {
    state.withLockedValue { $0.open.values.map(\.version) }
  }

  func version(of inode: UInt64) -> EntryVersion? {
    state.withLockedValue { $0.open[inode]?.version }
  }

  func entry(inode: UInt64) -> CatalogEntry? {
    state.withLockedValue { $0.catalog.entry(inode: inode) }
  }

  func entry(named name: String) -> CatalogEntry? {
    state.withLockedValue { $0.catalog.entry(named: name) }
  }

  func entry(number: Int) -> CatalogEntry? {
    state.withLockedValue { $0.catalog.entry(number: number) }
  }

  /// The listed entry whose link in `by-title` has this name.
  func entry(titled name: String) -> CatalogEntry? {
    state.withLockedValue { $0.catalog.entry(titled: name) }
  }

  /// The listed entry whose link in `by-title` has this name, up to its extension.
  func entry(titleStem stem: String) -> CatalogEntry? {
    state.withLockedValue { $0.catalog.entry(titleStem: stem) }
  }

  var statistics: Statistics {
    let catalog = catalog
    let sizes = catalog.listed.lazy.map { $0.known?.length ?? $0.claimedLength ?? 0 }
    return Statistics(files: catalog.entries.count, bytes: sizes.reduce(0) { $0 &+ max(0, $1) })
  }

  /// The first `limit` listed entries with a number greater than `number`.
  func listed(after number: Int, limit: Int) -> [CatalogEntry] {
    state.withLockedValue { state in
      let rest = state.catalog.entries.dropFirst(max(0, number))
      return Array(rest.lazy.filter { !$0.isRemoved }.prefix(limit))
    }
  }

  /// Bytes that are kept of the version with this inode.
  func storedBytes(of entry: CatalogEntry) -> Int {
    let (open, stored) = state.withLockedValue {
      ($0.open[entry.inode]?.version, $0.stored[entry.inode])
    }
    if let bytes = open?.heldBytes ?? stored { return bytes }
    let bytes = maker.measure(entry)
    state.withLockedValue { $0.stored[entry.inode] = bytes }
    return bytes
  }

  // MARK: Opening

  /// The version with this inode, open once more; `closed` must follow.
  ///
  /// An inode that a newer version has replaced is ESTALE: the kernel then looks the name up again.
  func open(_ inode: UInt64) throws(Errno) -> EntryVersion {
    opening.lock()
    defer { opening.unlock() }
    let found: (entry: CatalogEntry, version: EntryVersion?)? = state.withLockedValue { state in
      guard let entry = state.catalog.entry(inode: inode), !entry.isRemoved else { return nil }
      state.open[inode]?.count += 1
      return (entry, state.open[inode]?.version)
    }
    guard let found else { throw .staleNFSFileHandle }
    if let version = found.version { return version }
    let version = maker.make(found.entry)
    let left = version.filler.representation
    state.withLockedValue { state in
      state.open[inode] = Open(version: version, count: 1)
      // What a kill has left in the cache, before any catalog knew of it: to be asked for again.
      if let left, let entry = state.catalog.entry(inode: inode), entry.known == nil {
        state.catalog.know(KnownBody(left, type: nil, freshFor: nil, at: 0), of: entry.number)
      }
    }
    return version
  }

  func closed(_ version: EntryVersion) {
    let isIdle = state.withLockedValue { state in
      state.open[version.inode]?.count -= 1
      return state.open[version.inode]?.count == 0
    }
    if isIdle { changed(.idle(version)) }
  }

  /// Lets go of a version unless it was opened again meanwhile.
  func forget(_ version: EntryVersion) {
    let isForgotten = state.withLockedValue { state in
      guard state.open[version.inode]?.count == 0 else { return false }
      state.open[version.inode] = nil
      state.stored[version.inode] = version.heldBytes
      return true
    }
    guard isForgotten else { return }
    version.filler.end()
    _ = dropUnneeded()
  }

  /// Calls `then` when the kernel has forgotten what `stat` said of `version` before it was proved.
  func announce(_ version: EntryVersion, then: @escaping @Sendable () -> Void) {
    changed(.attributes(version.inode, then: then))
  }

  // MARK: What is learnt

  /// Takes what the feed lists now on `pages`, which were read as one; returns what that changed.
  func merge(
    _ window: Feed, of pages: [PageChain.Page], guessing: Bool, answer: PageFacts, now: Int
  ) -> CatalogChange {
    var change = learn(at: now) { catalog in
      let change = catalog.merge(
        window, answer: answer, now: now, keep: { _ in true },
        fileExtension: Self.fileExtension(of:))
      catalog.chain.guessesPaged = guessing
      catalog.chain.refreshed(pages, changed: !change.isEmpty)
      return change
    }
    change.removed = dropUnneeded()
    changed(.catalog)
    return change
  }

  /// Takes what a further page says; returns how many entries are new.
  func extend(with page: Feed, of place: PageChain.Page, now: Int) -> Int {
    let change = learn(at: now) { catalog in
      let change = catalog.extend(with: page, now: now, fileExtension: Self.fileExtension(of:))
      catalog.chain.read(place, news: change.added.count)
      if catalog.isFull { catalog.chain.full() }
      return change
    }
    _ = dropUnneeded()
    changed(.catalog)
    return change.added.count
  }

  /// The page that the last one names is not there.
  func noFurtherPage() {
    state.withLockedValue { $0.catalog.chain.missing() }
    changed(.catalog)
  }

  /// Whether the entry is one of the last three of the feed, so that more of it may be wanted soon.
  func isNearEnd(_ number: Int) -> Bool {
    state.withLockedValue { $0.catalog.order.suffix(3).contains(number) }
  }

  /// The feed's page is still the one that was read last.
  func confirmPage(at now: Int, maxAge: Int?) {
    state.withLockedValue { $0.catalog.confirmPage(at: now, maxAge: maxAge) }
    changed(.catalog)
  }

  /// An answer has proved, or confirmed, what the version with `inode` is.
  ///
  /// - Parameter url: where it was found; nil: where it was before.
  func know(_ body: KnownBody, of inode: UInt64, at url: String? = nil) {
    let isNews = state.withLockedValue { state in
      guard let entry = state.catalog.entry(inode: inode) else { return false }
      state.catalog.know(body, of: entry.number)
      if let url, !entry.media.isPage { state.catalog.choose(url, for: entry.number) }
      // When it was last confirmed is worth no writing of its own.
      return entry.known?.representation != body.representation
    }
    if isNews { changed(.catalog) }
  }

  /// The origin has shown another version than the one with `inode`: the name means that from now on.
  func superseded(_ inode: UInt64) {
    guard let old = entry(inode: inode) else { return }
    maker.replaced(old)
    let isNews = state.withLockedValue { state in
      guard state.catalog.entry(inode: inode) != nil else { return false }
      _ = state.catalog.supersede(old.number)
      return true
    }
    guard isNews else { return }
    changed(.name(old.name))
    changed(.catalog)
  }

  // MARK: Private

  private static func fileExtension(of media: Media) -> String {
    MediaType.fileExtension(of: media)
  }

  /// Changes the catalog by what the feed says, and tells what follows for those who look at it.
  private func learn(at now: Int, _ body: (inout Catalog) -> CatalogChange) -> CatalogChange {
    let (change, titles) = state.withLockedValue { state in
      let titles = state.catalog.entries.map(\.titleName)
      let change = body(&state.catalog)
      state.revision += 1
      if !change.isEmpty { state.changedAt = now }
      for version in state.open.values.map(\.version) {
        if let entry = state.catalog.entry(number: version.number) {
          version.origin.moved(to: entry.sources.map(\.url), from: entry.source.url)
        }
      }
      let former = change.changed.compactMap { number in
        titles[number - 1] == state.catalog.entries[number - 1].titleName
          ? nil : titles[number - 1]
      }
      return (change, former)
    }
    for title in titles { changed(.title(title)) }
    if !change.isEmpty { changed(.listing) }
    return change
  }

  /// Takes out of the listing what the feed has dropped, unless it is open or complete on disk.
  private func dropUnneeded() -> [Int] {
    let dropped = state.withLockedValue { state in
      state.catalog.entries.filter { $0.presence == .kept }
    }
    guard !dropped.isEmpty else { return [] }
    let complete = dropped.filter { $0.known != nil && storedBytes(of: $0) == $0.known?.length }
    let gone = state.withLockedValue { state in
      let needed = Set(complete.map(\.number) + state.open.values.map(\.version.number))
      let gone = state.catalog.dropGone { needed.contains($0) }
        .compactMap { state.catalog.entry(number: $0) }
      if !gone.isEmpty {
        state.revision += 1
        state.changedAt = MountedFeed.now()
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
