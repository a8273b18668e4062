import Addresses
import Blocks
import Catalog
import HTTP
import NIOConcurrencyHelpers
import Storage
import Streaming

/// Asks in the background, when a file is opened, whether its origin still serves its version.
///
/// A check keeps values only, no version: a film that is closed meanwhile is released, however long
/// its origin is away. Safe from any thread.
final class FreshnessChecks: Sendable {
  /// The most checks that wait for answers at once: an unreachable origin must not gather one for
  /// each file that is opened meanwhile.
  private static let most = 32

  private let live: LiveCatalog
  private let client: any RangeClient
  private let feed: TypedAddress?
  private let now: @Sendable () -> Int
  /// The inodes of the versions that are being checked.
  private let inodes = NIOLockedValueBox<Set<UInt64>>([])

  /// - Parameters:
  ///   - feed: the address that the user typed for it.
  ///   - now: seconds since 1970.
  init(
    _ live: LiveCatalog, by client: any RangeClient, for feed: TypedAddress?,
    now: @escaping @Sendable () -> Int
  ) {
    self.live = live
    self.client = client
    self.feed = feed
    self.now = now
  }

  /// Asks, unless the last answer still holds or another check is under way.
  func check(_ version: EntryVersion) {
    let inode = version.inode
    // The freshness of a web page says nothing about the film to which it leads.
    guard let entry = live.entry(inode: inode), !version.origin.isPage,
      let representation = version.filler.representation,
      entry.known?.isStale(at: now()) ?? true, begin(inode)
    else { return }
    FreshnessCheck.start(
      representation, at: version.origin.url,
      firstBlock: version.file?.checksum(of: BlockIndex(0)), for: feed, by: client
    ) { [live, inodes, now] result in
      inodes.withLockedValue { _ = $0.remove(inode) }
      switch result {
      case .same(let freshFor):
        let known = KnownBody(
          representation, type: entry.known?.contentType, freshFor: freshFor, at: now())
        live.know(known, of: inode)
      case .changed:
        guard let open = live.version(of: inode) else { return live.superseded(inode) }
        open.filler.supersede()
      case .unknown: break
      }
    }
  }

  /// Reserves a check of `inode`; false if one is under way, or too many others are.
  private func begin(_ inode: UInt64) -> Bool {
    inodes.withLockedValue { inodes in
      inodes.count < Self.most && inodes.insert(inode).inserted
    }
  }
}
