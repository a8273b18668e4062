import Catalog
import FeedReading
import TestSupport

@testable import FeedMount
@testable import Fuse
@testable import Storage

/// News that a kernel must be told of while it believes what it saw a moment ago.
extension Simulation {
  func tellKernel(_ random: inout SeededRandom) {
    changeTitle(&random)
    guard let mount, complaint == nil else { return }
    let complete = mount.live.catalog.listed.filter { entry in
      guard let known = entry.known, known.length > 0, !entry.isPinned else { return false }
      return mount.live.version(of: entry.inode) == nil
        && mount.live.holding(of: entry).bytes == known.length
    }
    guard let entry = pick(Array(complete), &random) else { return }
    if random.chance(50) { evict(entry) } else { replace(entry, &random) }
  }

  /// Gives an entry another title, after its folder was listed.
  private func changeTitle(_ random: inout SeededRandom) {
    guard let mount, complaint == nil else { return }
    tell("  another title")
    _ = try? mount.kernel.list(InodeSpace.whole.node(ReservedInode.titles), mount.tree)
    feed.retitle()
    refresh(&random)
    settle(&random)
    check()
  }

  /// Evicts all of an entry, after its name was looked up.
  private func evict(_ entry: CatalogEntry) {
    guard let mount, let name = mount.live.name(of: entry) else { return }
    tell("  \(entry.name) is evicted")
    look(at: entry)
    let (_, key) = mount.cache.giveUp(name, keeping: nil, bytes: .max)
    noteEviction(of: entry.key)
    if let key { mount.live.evicted(key) }
    let told = mount.live.holding(of: entry).bytes
    let stored = mount.live.maker.cache.holding(of: entry).bytes
    if told != stored { complain("\(told) bytes of \(entry.name) are told, and \(stored) cached") }
    check()
  }

  /// Replaces an entry's bytes at the origin, after its name was looked up, and opens it.
  private func replace(_ entry: CatalogEntry, _ random: inout SeededRandom) {
    guard let mount, let place = Address(entry.media.url) else { return }
    tell("  \(entry.name) has another version")
    web.origin.versions[place.resource] = (web.origin.versions[place.resource] + 1) % 3
    oracle.forget(resource: place.resource)
    mount.advance(by: .seconds(31))
    look(at: entry)
    guard let viewer = open(entry) else { return }
    settle(&random)
    check()
    close(viewer)
    settle(&random)
  }

  private func look(at entry: CatalogEntry) {
    guard let mount else { return }
    _ = try? mount.kernel.node(of: entry.name, in: InodeSpace.whole.root, mount.tree, anew: true)
  }
}
