import Control
import Feeds
import Glibc
import HTTP
import Storage
import SystemPackage

extension MountParts {
  /// What `.feedfs/status.json` holds.
  func statusDocument() -> [UInt8] {
    let document = (try? Wire.encode(status, pretty: true)) ?? []
    return Array(PrintableText.json(String(decoding: document, as: UTF8.self)).utf8)
  }

  private var status: MountStatus {
    let files = places.flatMap { place in
      let facts = EntryFacts(place.feed.live, in: place.space, prefix: place.prefix)
      return place.feed.live.catalog.listed.map { facts.status(of: $0) }
    }
    let problems = places.lazy.compactMap { place in
      place.feed.complaints.current ?? place.feed.cache.trouble?.description
    }
    let cache = CacheStatus(
      path: options.cacheDirectory.string, bytes: files.reduce(0) { $0 + $1.cached },
      problem: problems.first)
    var status = MountStatus(
      version: Mount.version, pid: Int(getpid()), mountPoint: options.mountPoint.string,
      passthrough: passesThrough, feeds: places.map(status), cache: cache, files: files,
      origins: client.origins().map { origin in
        OriginStatus(
          origin: origin.origin, state: origin.state, lastError: origin.lastError,
          requests: origin.requests, bytes: origin.bytes)
      })
    status.mode = steering.mode
    status.rateLimit = steering.rate
    return status
  }

  private func status(of place: Place) -> FeedStatus {
    let catalog = place.feed.live.catalog
    return FeedStatus(
      folder: place.folder, title: catalog.title, address: place.feed.key.shown,
      entries: catalog.order.count, pages: catalog.chain.count,
      end: catalog.chain.ended?.description, refreshed: catalog.page.checkedAt,
      error: place.feed.refresher.report.error)
  }
}
