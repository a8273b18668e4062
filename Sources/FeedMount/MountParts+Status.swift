import Control
import Feeds
import Glibc
import HTTP
import Storage
import SystemPackage

extension MountParts {
  /// What `.feedfs/status.json` holds.
  func statusDocument() -> [UInt8] {
    (try? Wire.encode(status, pretty: true)) ?? []
  }

  private var status: MountStatus {
    let catalog = live.catalog
    let facts = EntryFacts(live)
    let files = catalog.listed.map { facts.status(of: $0) }
    let feed = FeedStatus(
      title: catalog.title, address: key.shown, refreshed: catalog.page.checkedAt,
      error: refresher.report.error)
    let cacheStatus = CacheStatus(
      path: options.cacheDirectory.string, bytes: files.reduce(0) { $0 + $1.cached },
      problem: complaints.current ?? cache.trouble?.description)
    return MountStatus(
      version: Mount.version, pid: Int(getpid()), mountPoint: options.mountPoint.string,
      feed: feed, cache: cacheStatus, files: files,
      origins: client.origins().map { origin in
        OriginStatus(
          origin: origin.origin, state: origin.state, lastError: origin.lastError,
          requests: origin.requests, bytes: origin.bytes)
      })
  }
}
