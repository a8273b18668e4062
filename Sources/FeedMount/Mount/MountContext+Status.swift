import Addresses
import Catalog
import Control
import FeedReading
import Glibc
import HTTP
import Host
import Storage
import SystemPackage

/// Makes the status of the mount.
extension MountContext {
  /// Returns the document of `.feedfs/status.json`, or the requested part of it.
  func statusDocument(of part: StatusPart = StatusPart()) -> Pieces {
    let listings = places.map { place in
      FileListing(of: facts(of: place), since: part.since)
    }
    let files = FileListings(listings, part, Self.byName(client.origins()))
    var status = status(cached: listings.reduce(0) { $0 + $1.cachedBytes })
    status.revision = tellRevision()
    status.from = part.from
    if listings.allSatisfy(\.isPartial) {
      status.since = part.since
      status.gone = part.since.map { _ in listings.flatMap(\.gone) }
    }
    return status.document(of: files.count) { files[$0] }
  }

  /// Returns one revision for all feeds. Any later change in any feed gets a later revision.
  private func tellRevision() -> Int {
    let revision = places.map(\.feed.live.changes.revision).max() ?? 0
    for place in places { place.feed.live.told(revision) }
    return revision
  }

  /// Encodes `message` as JSON. Escapes characters that could control a terminal.
  static func document(_ message: some Encodable) -> [UInt8] {
    let document = (try? Wire.encode(message, pretty: true)) ?? []
    return Array(PrintableText.json(String(decoding: document, as: UTF8.self)).utf8)
  }

  /// Returns the details of the file of this name; nil if there is no such file.
  func details(of name: String) -> FileDetails? {
    for place in places where name.hasPrefix(place.prefix) {
      let own = String(name.dropFirst(place.prefix.count))
      guard let entry = place.feed.live.entry(named: own), !entry.isRemoved else { continue }
      return facts(of: place).details(
        of: entry, Self.byName(client.origins()), in: networkControl.mode)
    }
    return nil
  }

  /// Returns the status without the files.
  private func status(cached: Int) -> MountStatus {
    let origins = client.origins()
    var status = MountStatus(
      version: Product.version, pid: Int(getpid()), mountPoint: options.mountPoint.string,
      passthrough: passesThrough, feeds: places.map(status), cache: cacheStatus(cached: cached),
      files: [], origins: origins.map(status))
    status.mode = networkControl.mode
    status.rateLimit = networkControl.rate.bytesPerSecond
    return status
  }

  private static func byName(_ origins: [OriginReport]) -> [String: OriginReport] {
    Dictionary(origins.map { ($0.origin, $0) }) { first, _ in first }
  }

  private func facts(of place: Place) -> EntryFacts {
    EntryFacts(place.feed.live, in: place.space, prefix: place.prefix)
  }

  private func cacheStatus(cached: Int) -> CacheStatus {
    let problems = places.lazy.compactMap(\.feed.problems.current)
    let place = cacheWork.place
    let isLost = !places.isEmpty && places.allSatisfy { $0.feed.cache.root == nil }
    var cache = CacheStatus(
      path: place.string, bytes: cached,
      problem: problems.first ?? (isLost ? "\(place) was removed" : nil))
    cache.limit = limit?.usage.limit
    cache.used = limit?.usage.used
    var disk = statvfs()
    if statvfs(place.string, &disk) == 0 {
      cache.free = Int(disk.f_bavail) * Int(disk.f_frsize)
    }
    return cache
  }

  private func status(of origin: OriginReport) -> OriginStatus {
    var status = OriginStatus(
      origin: origin.origin, condition: origin.condition, state: origin.words,
      lastError: origin.lastError, requests: origin.requests, bytes: origin.bytes)
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
      entries: catalog.listedCount, pages: catalog.chain.count,
      end: catalog.chain.ended?.description, refreshed: catalog.page.checkedAt,
      error: report.error)
    status.movedTo = catalog.move.address.map { WebAddress.shown($0) }
    status.move = catalog.move.pending { WebAddress.shown($0) }
    if report.error != nil {
      status.retryIn = place.feed.refresher.timeToNextAttempt.map { $0 / .seconds(1) }
    }
    status.waiting = catalog.waitingCount > 0 ? catalog.waitingCount : nil
    status.unsaved = place.feed.saver.trouble
    return status
  }
}
