import Addresses
import Catalog
import Control
import FeedReading
import Glibc
import HTTP
import Host
import Markup
import Locks
import Quantities
import Storage
import SystemPackage

/// Makes the status of the mount.
extension MountContext {
  /// Returns the document of `.feedfs/status.json`, or the requested part of it.
  func statusDocument(of part: StatusPart = StatusPart()) -> Pieces {
    let places = places
    // A partial status has only changed files, so it cannot show that a feed has come or gone. If a
    // feed has come or gone since `part.since`, the status is complete.
    let since = part.since.flatMap { $0 < feeds.revision ? nil : $0 }
    let listings = places.map { place in FileListing(of: facts(of: place), since: since) }
    let files = FileListings(listings, part, Self.byName(client.origins()))
    var status = status(cached: listings.reduce(0) { $0 + $1.cachedBytes })
    status.revision = tellRevision()
    status.from = part.from
    if since != nil, listings.allSatisfy(\.isPartial) {
      status.since = since
      status.gone = since.map { _ in listings.flatMap(\.gone) }
    }
    return status.document(of: files.count) { files[$0] }
  }

  /// Returns one revision that is valid for all feeds. Any later change in any feed gets a later
  /// revision.
  private func tellRevision() -> Int {
    let revision = max(feeds.revision, places.map(\.feed.live.changes.revision).max() ?? 0)
    for place in places { place.feed.live.told(revision) }
    return revision
  }

  /// Encodes `message` as JSON. Escapes characters that could control a terminal.
  static func document(_ message: some Encodable) -> [UInt8] {
    let document = (try? Wire.encode(message, pretty: true)) ?? []
    return Array(PrintableText.json(String(decoding: document, as: UTF8.self)).utf8)
  }

  /// Returns the details of the file that has this name or title; nil if there is no such file.
  func details(of name: String) throws(CacheAdmin.Refusal) -> FileDetails? {
    guard let (member, entry) = try cacheWork.entry(called: name),
      let place = places.first(where: { $0.feed === member.feed })
    else { return nil }
    return facts(of: place).details(
      of: entry, Self.byName(client.origins()), in: networkControl.mode)
  }

  /// Returns the status without the files.
  private func status(cached: Int) -> MountStatus {
    let origins = client.origins()
    var status = MountStatus(
      version: Product.version, pid: Int(getpid()), mountPoint: options.mountPoint.string,
      passthrough: passesThrough, feeds: places.map(status), cache: cacheStatus(cached: cached),
      files: [], origins: origins.map(status))
    status.subscriptions = following.withLock { $0.problem }
    status.mode = networkControl.mode
    status.rateLimit = networkControl.rate.bytesPerSecond
    status.isMetered = networkControl.isMetered
    return status
  }

  private static func byName(_ origins: [OriginReport]) -> [String: OriginReport] {
    Dictionary(origins.map { ($0.origin, $0) }) { first, _ in first }
  }

  private func facts(of place: Place) -> EntryFacts {
    EntryFacts(place.feed.live, in: place.feed.space, prefix: place.prefix)
  }

  private func cacheStatus(cached: Int) -> CacheStatus {
    let problems = places.lazy.compactMap(\.feed.problems.current)
    let place = cacheWork.place
    let isLost = !places.isEmpty && places.allSatisfy { $0.feed.cache.root == nil }
    var cache = CacheStatus(
      path: place.string, bytes: cached,
      problem: problems.first
        ?? (isLost ? "the directory \(place) was removed; mount again to make a new one" : nil))
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
      end: catalog.chain.endedBecause, refreshed: catalog.page.checkedAt,
      error: report.error)
    status.movedTo = catalog.move.address.map { WebAddress.shown($0) }
    status.move = catalog.move.pending { WebAddress.shown($0) }
    if report.error != nil {
      status.retryIn = place.feed.refresher.timeToNextAttempt.map { $0 / .seconds(1) }
    }
    status.leftOut = catalog.leftOutCount > 0 ? catalog.leftOutCount : nil
    status.waiting = catalog.waitingCount > 0 ? catalog.waitingCount : nil
    status.unsaved = place.feed.saver.trouble
    status.leaving = place.isLeaving ? true : nil
    return status
  }
}
