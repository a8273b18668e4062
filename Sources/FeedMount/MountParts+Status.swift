import Control
import Feeds
import Glibc
import HTTP
import Storage
import SystemPackage

extension MountParts {
  /// What `.feedfs/status.json` holds.
  func statusDocument() -> [UInt8] {
    Self.document(status)
  }

  /// JSON, in which what could steer a terminal is written as escapes.
  static func document(_ message: some Encodable) -> [UInt8] {
    let document = (try? Wire.encode(message, pretty: true)) ?? []
    return Array(PrintableText.json(String(decoding: document, as: UTF8.self)).utf8)
  }

  /// What is known of the file of this name; nil: there is none.
  func details(of name: String) -> FileDetails? {
    for place in places where name.hasPrefix(place.prefix) {
      let own = String(name.dropFirst(place.prefix.count))
      guard let entry = place.feed.live.entry(named: own), !entry.isRemoved else { continue }
      return facts(of: place).details(
        of: entry, Self.byName(client.origins()), in: steering.mode)
    }
    return nil
  }

  private var status: MountStatus {
    let origins = client.origins()
    let byName = Self.byName(origins)
    let files = places.flatMap { place in
      let facts = facts(of: place)
      return place.feed.live.catalog.listed.map { facts.status(of: $0, byName) }
    }
    var status = MountStatus(
      version: Mount.version, pid: Int(getpid()), mountPoint: options.mountPoint.string,
      passthrough: passesThrough, feeds: places.map(status), cache: cacheStatus(of: files),
      files: files, origins: origins.map(status))
    status.mode = steering.mode
    status.rateLimit = steering.rate
    return status
  }

  private static func byName(_ origins: [OriginReport]) -> [String: OriginReport] {
    Dictionary(origins.map { ($0.origin, $0) }) { first, _ in first }
  }

  private func facts(of place: Place) -> EntryFacts {
    EntryFacts(place.feed.live, in: place.space, prefix: place.prefix)
  }

  private func cacheStatus(of files: [FileStatus]) -> CacheStatus {
    let problems = places.lazy.compactMap { place in
      place.feed.complaints.current ?? place.feed.cache.trouble?.description
    }
    var cache = CacheStatus(
      path: options.cacheDirectory.string, bytes: files.reduce(0) { $0 + $1.cached },
      problem: problems.first)
    cache.limit = limit?.usage.limit
    cache.used = limit?.usage.used
    var disk = statvfs()
    if statvfs(options.cacheDirectory.string, &disk) == 0 {
      cache.free = Int(disk.f_bavail) * Int(disk.f_frsize)
    }
    return cache
  }

  private func status(of origin: OriginReport) -> OriginStatus {
    var status = OriginStatus(
      origin: origin.origin, state: origin.state, lastError: origin.lastError,
      requests: origin.requests, bytes: origin.bytes)
    status.failures = origin.failures
    status.latency = origin.latency.map { ($0 / .milliseconds(1)).rounded(.up) / 1000 }
    status.speed = origin.speed
    status.throughput = origin.throughput
    return status
  }

  private func status(of place: Place) -> FeedStatus {
    let catalog = place.feed.live.catalog
    let report = place.feed.refresher.report
    var status = FeedStatus(
      folder: place.folder, title: catalog.title, address: place.feed.key.shown,
      entries: catalog.order.count, pages: catalog.chain.count,
      end: catalog.chain.ended?.description, refreshed: catalog.page.checkedAt,
      error: report.error)
    if report.error != nil {
      status.retryIn = place.feed.refresher.nextAttempt.map {
        max(0, ContinuousClock.now.duration(to: $0) / .seconds(1))
      }
    }
    return status
  }
}
