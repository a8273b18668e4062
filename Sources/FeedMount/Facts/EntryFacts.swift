import Addresses
import Blocks
import Control
import Catalog
import FeedReading
import Filling
import Fuse
import HTTP
import Markup
import Storage
import StreamFiles
import Streams

/// Describes an entry for `stat`, for extended attributes and for the status.
struct EntryFacts: Sendable {
  /// The time for which the kernel caches the attributes of a complete file.
  private static let completeValidity: Duration = .seconds(60)
  /// The time for which the kernel caches the attributes of a closed file that is not complete but
  /// has a proved size. Such a file rarely changes, and one second is enough for one listing. For
  /// all other files the time is zero, because `du` must show how an open file grows, and because
  /// the next answer can prove another size.
  private static let idleValidity: Duration = .seconds(1)

  let live: LiveCatalog
  private let space: InodeSpace
  /// The prefix of the files' names in the status, such as "talks/"; empty if the mount has one
  /// feed.
  let prefix: String

  init(_ live: LiveCatalog, in space: InodeSpace, prefix: String) {
    self.live = live
    self.space = space
    self.prefix = prefix
  }

  func attributes(of glance: LiveCatalog.Glance) -> Attributes {
    let (entry, isSettled) = (glance.entry, glance.isSettled)
    let holding = live.holding(of: glance)
    let isComplete = entry.provedLength.map { $0 == holding.bytes } ?? false
    let mayChange = entry.provedLength == nil || !isSettled || glance.open != nil
    let validity = mayChange ? .zero : Self.idleValidity
    let grown = entry.provedLength == nil ? grownSize(of: glance) : nil
    return Attributes(
      inode: space.node(entry.inode), kind: .file,
      size: entry.provedLength ?? grown ?? glance.likelyLength,
      // A growing file is shown with blocks for its whole size. If a file has fewer blocks, `cp`
      // looks for holes in it, and then ends at the size that it saw first.
      storedBytes: max(holding.bytes, grown ?? 0), modified: entry.modified,
      validity: isComplete && isSettled ? Self.completeValidity : validity,
      passesThrough: isComplete && holding.isDurable && isSettled && !glance.isWatched,
      isClaim: entry.provedLength == nil || entry.isMeasured)
  }

  /// Returns the size that programs see of a growing file; nil if the file is not growing.
  private func grownSize(of glance: LiveCatalog.Glance) -> Int? {
    let size = max(glance.open?.filler.growth?.toldSize ?? 0, glance.toldWhileGrowing ?? 0)
    guard size > 0 else { return nil }
    live.grew(glance.entry.inode, to: size)
    return size
  }

  /// Returns the attributes of an open version whose name a newer version already has.
  func attributes(of version: EntryVersion) -> Attributes {
    let entry = live.catalog.entry(number: version.number)
    let grown = version.filler.growth?.toldSize
    return Attributes(
      inode: space.node(version.inode), kind: .file,
      size: version.filler.representation?.length ?? grown ?? 0,
      storedBytes: max(version.holding.bytes, grown ?? 0), modified: entry?.modified ?? 0,
      validity: .zero)
  }

  // MARK: Extended attributes

  func names(of entry: CatalogEntry) -> [String] {
    values(of: entry).filter { $0.value != nil }.map(\.key)
  }

  func value(_ name: String, of entry: CatalogEntry) -> String? {
    values(of: entry)[name].flatMap(\.self).map(PrintableText.line)
  }

  private func values(of entry: CatalogEntry) -> KeyValuePairs<String, String?> {
    let stored = live.holding(of: entry).bytes
    return [
      "user.feedfs.id": shownID(entry.key),
      "user.feedfs.title": entry.shownTitle,
      "user.feedfs.url": WebAddress.shown(entry.source.url),
      "user.feedfs.cached": "\(stored)",
      "user.feedfs.state": status(of: entry, [:]).state.rawValue,
      "user.xdg.origin.url": WebAddress.shown(entry.source.url),
      "user.feedfs.duration": entry.duration.flatMap { Int(exactly: $0.rounded()) }
        .map(String.init),
      "user.feedfs.published": entry.published.map { "\($0)" },
      "user.feedfs.mark": entry.mark?.rawValue ?? EntryMark.new,
      "user.feedfs.error": live.failures.last(of: entry.number)?.what,
      "user.feedfs.stream": live.version(of: entry.inode)?.origin.stream?.words,
      "user.mime_type": entry.known?.contentType ?? entry.media.type,
    ]
  }

  // MARK: Shared

  func size(of entry: CatalogEntry) -> Int? {
    entry.known?.length ?? live.version(of: entry.inode)?.filler.growth?.reached
      ?? entry.expectedLength
  }

  /// Returns `id` without secrets. An id is often an address, and the query of an address can
  /// contain a secret.
  func shownID(_ id: String) -> String {
    id.contains("://") ? WebAddress.shown(id) : id
  }
}

extension KeyValuePairs where Key == String {
  fileprivate subscript(_ key: String) -> Value? {
    first { $0.key == key }?.value
  }
}
