import Blocks
import Catalog
import FeedReading
import Filling
import Locks
import SystemPackage
import TestSupport

@testable import FeedMount
@testable import Fuse
@testable import World

/// The mount's tree, as programs see it through a kernel that believes what it was told.
extension Simulation: Viewer.Surroundings {
  /// Opens an entry as Linux does: looks its name up, and opens the inode; if that is stale, does
  /// both once more.
  @discardableResult
  func open(_ entry: CatalogEntry, isScanner: Bool = false) -> Viewer? {
    guard let place = Address(entry.media.url) else { return nil }
    lastThread += 1
    let thread = lastThread
    guard let version = version(named: entry.name, by: thread) else {
      complain("\(entry.name) is listed and cannot be opened")
      return nil
    }
    noteOpen(of: entry, version, place)
    let viewer = Viewer(
      version, named: entry.name, thread: thread, serial: place.serial,
      resource: Resource.all[place.resource], isScanner: isScanner, in: self)
    viewers.append(viewer)
    begin(viewer, version)
    return viewer
  }

  /// Opens the version that `name` means, as `FeedFileSystem` does.
  private func version(
    named name: String, by thread: Int32, anew: Bool = false
  ) -> EntryVersion? {
    guard let mount,
      let node = try? mount.kernel.node(of: name, in: InodeSpace.whole.root, mount.tree, anew: anew)
    else { return nil }
    if let version = try? mount.live.open(InodeSpace.whole.number(of: node)) { return version }
    guard !anew else { return nil }
    mount.live.turnedAway(thread)
    return version(named: name, by: thread, anew: true)
  }

  private func begin(_ viewer: Viewer, _ version: EntryVersion) {
    guard let mount else { return }
    viewer.wasFirst = mount.live.openings(of: version.inode)?.count == 1
    mount.feed.opened(version, by: viewer.isScanner ? "file" : "player")
    mount.live.served(version)
    viewer.open(version, at: mount.time.now)
  }

  func openAgain(_ viewer: Viewer) {
    mount?.live.closed(viewer.version)
    guard mount?.isEnding == false,
      let version = version(named: viewer.name, by: viewer.thread, anew: true)
    else {
      return forget(viewer)
    }
    begin(viewer, version)
  }

  func hasFailed(_ viewer: Viewer) {
    mount?.live.closed(viewer.version)
  }

  private func forget(_ viewer: Viewer) {
    viewer.close()
    viewers.removeAll { $0 === viewer }
  }

  func settle(
    _ viewer: Viewer, _ proved: Representation, then: @escaping @Sendable (Bool) -> Void
  ) {
    guard let mount else { return }
    let version = viewer.version
    mount.live.settleSize(of: version, proved, for: viewer.thread) { [unowned self] isSettled in
      if isSettled { checkSize(proved.length, of: version.inode, by: viewer.sentBackFrom != nil) }
      then(isSettled)
    }
  }

  /// Checks that no open is answered while the kernel has another size, by which sendfile(2) goes.
  private func checkSize(_ length: Int, of inode: UInt64, by wasSentBack: Bool) {
    guard let mount, let size = mount.kernel.sizes[inode], size != length, !wasSentBack else {
      return
    }
    complain("inode \(inode) is opened at a size of \(size), which is \(length)")
  }

  func isExcused(_ viewer: Viewer) -> Bool {
    web.wrong.contains(viewer.serial)
  }

  func hasReadWrongBytes(_ viewer: Viewer) {
    mount?.kernel.readWrongBytes(of: InodeSpace.whole.node(viewer.version.inode))
  }

  // MARK: Steps

  /// Looks a random name up.
  func look(_ random: inout SeededRandom) {
    guard let mount, let entry = pick(Array(mount.live.catalog.listed), &random) else { return }
    let isTitle = random.chance(40)
    let folder = InodeSpace.whole.node(isTitle ? ReservedInode.titles : ReservedInode.root)
    let name = isTitle ? entry.titleName : entry.name
    if (try? mount.kernel.node(of: name, in: folder, mount.tree)) == nil {
      complain("\(name) is listed and not found")
    }
  }

  /// Lists a folder: every listed entry must be in it, once.
  func list(_ random: inout SeededRandom) {
    guard let mount else { return }
    let isTitles = random.chance(40)
    let folder = InodeSpace.whole.node(isTitles ? ReservedInode.titles : ReservedInode.root)
    guard let names = try? mount.kernel.list(folder, mount.tree) else {
      return complain("a folder cannot be listed")
    }
    if Set(names).count < names.count { complain("a name is listed twice") }
    for entry in mount.live.catalog.listed {
      let name = isTitles ? entry.titleName : entry.name
      if !names.contains(name) { complain("\(name) is not in its folder") }
    }
  }

  /// Opens a sidecar: a player gets the right bytes, or none, and soon.
  func openSidecar(_ random: inout SeededRandom, isFair: Bool = false) {
    guard let mount else { return }
    let items = mount.live.catalog.listed.flatMap { mount.feed.sidecars.items(of: $0) }
    guard let item = pick(items, &random), let url = item.sidecar.url,
      let subtitles = Subtitles(url)
    else { return }
    tell("    \(item.name)")
    let opening = SidecarOpening(subtitles, since: mount.time.now, isFair: isFair)
    sidecars.append(opening)
    let answer = OneShot { (content: [UInt8]?) in
      opening.answer.withLock { $0 = .some(content) }
    }
    mount.feed.sidecars.wait(for: url, of: item.number, answer) { _, _, _ in true }
    mount.around.executor.run()
  }

  // MARK: Checks

  /// Checks that the kernel was told of all that it can learn only from a notice.
  func checkKernel(_ mount: SimulatedMount) {
    if let mistake = mount.kernel.mistake(
      about: mount.tree, ignoresBytes: wasUnclean || oracle.mayForget || !web.wrong.isEmpty)
    {
      complain(mistake)
    }
    let names = mount.live.catalog.listed.map(\.name)
    let notices = mount.kernel.folderNotices[ReservedInode.root, default: 0]
    if let before = oracle.listing, before.names != names, before.notices == notices {
      complain("the kernel does not know that the listing has changed")
    }
    oracle.listing = (names, notices)
  }

  func checkSidecars(_ mount: SimulatedMount) {
    sidecars.removeAll { opening in
      switch opening.answer.withLock({ $0 }) {
      case nil:
        if mount.time.now - opening.since > .seconds(6) { complain("a sidecar waits for ever") }
        return false
      case .some(nil):
        if opening.isFair { complain("a sidecar does not come in fair weather") }
      case .some(let content?):
        if content != opening.subtitles.content { complain("a sidecar has other bytes") }
      }
      return true
    }
  }
}

/// A player's open of a file beside a film.
final class SidecarOpening: Sendable {
  let subtitles: Subtitles
  let since: Duration
  /// True when nothing prevents the answer.
  let isFair: Bool
  /// The content or nil; outer nil until there is an answer.
  let answer = Locked<[UInt8]??>(nil)

  init(_ subtitles: Subtitles, since: Duration, isFair: Bool) {
    self.subtitles = subtitles
    self.since = since
    self.isFair = isFair
  }
}
