import Addresses
import Blocks
import Control
import Catalog
import FeedReading
import Filling
import HTTP
import Host
import Storage
import StreamFiles
import Streams
import World

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
    status.kept = live.isKept(entry.number) ? true : nil
    status.duration = entry.duration
    status.mark = entry.mark?.rawValue ?? EntryMark.new
    var extents = holding.extents
    if let (version, count) = live.openings(of: entry.inode) {
      status.open = count
      status.growthLimit = version.filler.growth?.layout.length
      extents = version.extents
      let origin = version.origin
      status.take(
        version.filler.report, from: sources(of: origin, origins), trouble: origin.trouble, origins)
      if status.state == .waiting, let progress = origin.stream?.progress {
        status.reason =
          "reading the description of the stream:"
          + " \(progress.answered) of \(progress.requests) requests are answered"
      }
    }
    status.failure = live.failures.last(of: entry.number).map { failure in
      let rest = failure.until.map { Double(max(0, $0 - live.wall.seconds)) }
      return FailureStatus(
        what: failure.what, at: failure.at, retryIn: rest, isHopeless: failure.isHopeless)
    }
    if let known = entry.known, known.length == holding.bytes { status.state = .complete }
    status.extents = extents.isEmpty ? nil : extents.map { Extent($0) }
    return status
  }

  func details(
    of entry: CatalogEntry, _ origins: [String: OriginReport], in mode: NetworkMode
  ) -> FileDetails {
    let source = entry.source
    var details = FileDetails(
      mode: mode, file: status(of: entry, origins), titleName: titleName(of: entry),
      id: shownID(entry.key), url: WebAddress.shown(source.url))
    details.alternates = entry.sources.count - 1
    details.height = source.pictureLines
    details.streamKind = source.streamKind?.rawValue
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
    details.stream = stream(of: entry)
    details.lacksRanges = live.version(of: entry.inode)?.filler.report.lacksRanges ?? false
    return details
  }

  /// Returns the origins from which the bytes of a version come, first the origin of its own
  /// address. The pieces of a stream can come from other origins. These origins are added only if
  /// any origin has an obstacle.
  private func sources(
    of origin: HTTPOrigin, _ origins: [String: OriginReport]
  ) -> [OriginName] {
    let own = (try? WebAddress(parsing: origin.url)).map { [$0.origin] } ?? []
    guard let film = origin.stream?.film, origins.values.contains(where: { $0.obstacle != nil })
    else { return own }
    return own + film.starts.sorted().compactMap { try? WebAddress(parsing: String($0)).origin }
  }

  /// Returns the name of `entry` in `by-title`, or its file name if there is no such folder.
  private func titleName(of entry: CatalogEntry) -> String {
    live.catalog.names == .number ? entry.titleName : entry.name
  }

  /// Returns the stream that the file of `entry` is made from; nil if there is none, or if it is
  /// not known.
  private func stream(of entry: CatalogEntry) -> StreamDetails? {
    let stream = live.version(of: entry.inode)?.origin.stream
    let open = stream?.film
    let known = entry.known?.representation
    guard let layout = open?.layout ?? known.flatMap({ live.layouts.layout(of: $0) }) else {
      return nil
    }
    return StreamDetails(
      choice: stream?.words, tracks: layout.tracks.map(\.description.words),
      slots: layout.fragments.count)
  }

  /// Returns the reason why `entry` is fetched from `source`.
  private func choice(of source: Media, _ entry: CatalogEntry) -> String? {
    guard source == entry.media else {
      let refusal = live.failures.refusal(of: entry.media.url)
      return refusal.map { "the best address of the feed cannot be read: \($0)" }
        ?? "the file was read from this address before, so it stays in use, although the feed has a better one"
    }
    let choice = live.catalog.page.choice ?? MediaChoice()
    return MediaReason.words(for: source, among: entry.alternates, choice)
  }
}

extension LiveCatalog {
  /// Returns the listed entries from `number` on as news; nil if there are none.
  func news(from number: Int) -> RefreshOutcome.News? {
    let catalog = catalog
    let new = catalog.listedOrder.filter { $0 >= number }
    guard !new.isEmpty else { return nil }
    let titles = new.prefix(10).compactMap { catalog.entry(number: $0)?.shownTitle }
    return RefreshOutcome.News(feed: catalog.title, count: new.count, titles: titles)
  }
}

extension TrackDescription {
  /// The track in one line, such as "h264, 1280 × 720".
  var words: String {
    let name = Self.names.first { codec.hasPrefix($0.0) }?.1 ?? codec
    let spoken = language == "und" ? "" : ", \(language)"
    switch kind {
    case .video(let width, let height): return "\(name), \(width) × \(height)"
    case .audio(let rate, let channels):
      return "\(name), \(rate) Hz, \(channels) channel\(channels == 1 ? "" : "s")\(spoken)"
    }
  }

  private static let names = [
    ("V_MPEG4/ISO/AVC", "h264"), ("V_MPEGH/ISO/HEVC", "hevc"), ("V_AV1", "av1"), ("V_VP9", "vp9"),
    ("V_VP8", "vp8"), ("A_AAC", "aac"), ("A_MPEG/L3", "mp3"), ("A_OPUS", "opus"),
    ("A_AC3", "ac3"), ("A_EAC3", "eac3"), ("A_FLAC", "flac"), ("A_VORBIS", "vorbis"),
  ]
}
