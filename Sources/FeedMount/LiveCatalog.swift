import Blocks
import Feeds
import Fuse
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
    /// The kernel should forget the attributes of the inode, before `then` is called.
    case attributes(NodeID, then: @Sendable () -> Void)
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
      state.open[version.inode.number]?.count -= 1
      return state.open[version.inode.number]?.count == 0
    }
    if isIdle { changed(.idle(version)) }
  }

  /// Lets go of a version unless it was opened again meanwhile.
  func forget(_ version: EntryVersion) {
    let isForgotten = state.withLockedValue { state in
      guard state.open[version.inode.number]?.count == 0 else { return false }
      state.open[version.inode.number] = nil
      state.stored[version.inode.number] = version.heldBytes
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

  /// Takes what a page of the feed says; returns what that changed.
  func merge(_ page: Feed, answer: PageFacts, now: Int) -> CatalogChange {
    var change = state.withLockedValue { state in
      state.revision += 1
      let change = state.catalog.merge(
        page, answer: answer, now: now, keep: { _ in true },
        fileExtension: { MediaType.fileExtension(type: $0.type, url: $0.url) })
      for version in state.open.values.map(\.version) {
        if let entry = state.catalog.entry(number: version.number) {
          version.origin.moved(to: entry.media.url)
        }
      }
      return change
    }
    change.removed = dropUnneeded()
    changed(.catalog)
    return change
  }

  /// The feed's page is still the one that was read last.
  func confirmPage(at now: Int, maxAge: Int?) {
    state.withLockedValue { $0.catalog.confirmPage(at: now, maxAge: maxAge) }
    changed(.catalog)
  }

  /// An answer has proved, or confirmed, what the version with `inode` is.
  func know(_ body: KnownBody, of inode: UInt64) {
    let isNews = state.withLockedValue { state in
      guard let entry = state.catalog.entry(inode: inode) else { return false }
      state.catalog.know(body, of: entry.number)
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

  /// Takes out of the listing what the feed has dropped, unless it is open or complete on disk.
  private func dropUnneeded() -> [Int] {
    let dropped = state.withLockedValue { state in
      state.catalog.entries.filter { $0.presence == .kept }
    }
    guard !dropped.isEmpty else { return [] }
    let complete = dropped.filter { $0.known != nil && storedBytes(of: $0) == $0.known?.length }
    let gone = state.withLockedValue { state in
      state.revision += 1
      let needed = Set(complete.map(\.number) + state.open.values.map(\.version.number))
      return state.catalog.dropGone { needed.contains($0) }
        .compactMap { state.catalog.entry(number: $0) }
    }
    for entry in gone { changed(.name(entry.name)) }
    return gone.map(\.number)
  }
}
