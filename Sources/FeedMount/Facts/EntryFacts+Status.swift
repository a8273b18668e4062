import Addresses
import Blocks
import Control
import Catalog
import FeedReading
import HTTP
import Host
import Storage
import Streaming

/// Describes an entry for the status.
extension EntryFacts {
  /// - Parameter origins: the reports of the origins, by name.
  func status(of entry: CatalogEntry, _ origins: [String: OriginReport]) -> FileStatus {
    let holding = live.holding(of: entry)
    var status = FileStatus(
      name: prefix + entry.name, title: entry.shownTitle, size: size(of: entry),
      cached: holding.bytes, state: holding.bytes > 0 ? .partial : .empty)
    status.removed = entry.presence == .kept
    status.pinned = entry.isPinned
    status.duration = entry.duration
    var stretches = holding.stretches
    if let (version, count) = live.openings(of: entry.inode) {
      status.open = count
      status.growthLimit = version.filler.growth?.layout.length
      stretches = version.stretches
      let origin = version.origin
      status.take(
        version.filler.report, from: (try? WebAddress(parsing: origin.url))?.origin,
        trouble: origin.trouble, origins)
    }
    status.failure = live.failures.last(of: entry.number).map { failure in
      let rest = failure.until.map { Double(max(0, $0 - live.wall.seconds)) }
      return FailureStatus(what: failure.what, at: failure.at, retryIn: rest)
    }
    if let known = entry.known, known.length == holding.bytes { status.state = .complete }
    status.stretches = stretches.isEmpty ? nil : stretches.map { Stretch($0) }
    return status
  }

  func details(
    of entry: CatalogEntry, _ origins: [String: OriginReport], in mode: NetworkMode
  ) -> FileDetails {
    let source = entry.source
    var details = FileDetails(
      mode: mode, file: status(of: entry, origins), titleName: entry.titleName,
      id: shownID(entry.key), url: WebAddress.shown(source.url))
    details.alternates = entry.sources.count - 1
    details.height = source.pictureLines
    details.choice = choice(of: source, entry)
    details.link = entry.link.map { WebAddress.shown($0) }
    details.type = entry.known?.contentType ?? entry.media.type
    details.published = entry.published
    switch entry.known?.representation.validator {
    case .entityTag(let tag)?: details.validator = tag
    case .lastModified(let date)?: details.validator = date
    case .some(.none), nil: break
    }
    details.checked = entry.known?.checkedAt
    details.lacksRanges = live.version(of: entry.inode)?.filler.report.lacksRanges ?? false
    return details
  }

  /// Returns the reason why `entry` is fetched from `source`.
  private func choice(of source: Media, _ entry: CatalogEntry) -> String? {
    guard source == entry.media else {
      let refusal = live.failures.refusal(of: entry.media.url)
      return refusal.map { "the best one cannot be read: \($0)" }
        ?? "read before, so it stays: the feed has a better one"
    }
    let choice = live.catalog.page.choice ?? MediaChoice()
    return MediaReason.words(for: source, among: entry.alternates, choice)
  }
}
