import Addresses
import Blocks
import Catalog
import Filling
import HTTP
import Locks
import Storage
import Streams
import World

/// Asks in the background, when a file is opened, whether its origin still serves its version.
///
/// A check does not keep a version open. So a file that is closed during a check is released,
/// however long its origin takes to answer. Safe from any thread.
final class FreshnessChecks: Sendable {
  /// The largest number of checks that wait for answers. Without this limit, each file that is
  /// opened at an unreachable origin would add a check.
  private static let maxChecks = 32

  private let live: LiveCatalog
  private let world: World
  private let feed: TypedAddress?
  /// The inodes of the versions that are being checked.
  private let inodes = Locked<Set<UInt64>>([])

  /// - Parameter feed: the address of the feed as the user typed it.
  init(_ live: LiveCatalog, for feed: TypedAddress?, in world: World) {
    self.live = live
    self.world = world
    self.feed = feed
  }

  /// Asks the origin, unless the last answer is still fresh or another check is under way.
  func check(_ version: EntryVersion) {
    let inode = version.inode
    // The freshness of a web page says nothing about the media to which it leads.
    guard let entry = live.entry(inode: inode), !version.origin.isPage,
      let representation = version.filler.representation,
      // Streams are not checked here, because a change of a stream is noticed when its addresses
      // are looked up.
      !StreamLayout.isFilm(representation),
      entry.known?.isStale(at: world.wall.seconds) ?? true, begin(inode)
    else { return }
    FreshnessCheck.start(
      representation, at: version.origin.url,
      firstBlock: version.file?.checksum(of: BlockIndex(0)), marks: version.origin.marks, for: feed,
      by: world.network
    ) { [live, inodes, wall = world.wall] result in
      inodes.withLock { _ = $0.remove(inode) }
      switch result {
      case .same(let freshFor):
        let known = KnownBody(
          representation, type: entry.known?.contentType, freshFor: freshFor, at: wall.seconds)
        live.know(known, of: inode)
      case .changed:
        guard let open = live.version(of: inode) else { return live.becameStale(inode) }
        open.filler.becomeStale()
      // If the file was closed during the check, its next open starts a new check.
      case .doubted: live.version(of: inode)?.filler.doubted()
      case .unknown: break
      }
    }
  }

  /// Reserves a check of `inode`. Returns false if one is under way, or if too many others are.
  private func begin(_ inode: UInt64) -> Bool {
    inodes.withLock { inodes in
      inodes.count < Self.maxChecks && inodes.insert(inode).inserted
    }
  }
}
