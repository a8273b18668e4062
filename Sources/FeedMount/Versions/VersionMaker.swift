import Blocks
import Feeds
import HTTP
import Storage
import Streaming

/// Makes the version of an entry: origin, place in the cache, and what fills it from the one into the
/// other.
///
/// Safe from any thread.
struct VersionMaker: Sendable {
  /// What a version has to say while it lives, on whatever thread brings it about.
  enum Event: Sendable {
    /// An answer passed the check.
    case answered(AcceptedAnswer)
    case filled(EntryFiller.Event)
  }

  let client: any RangeClient
  /// What the user typed to have the feed.
  let feed: WebURL?
  let cache: CacheDirectory
  let timekeeper: any Timekeeper
  let rules: FillRules
  /// Whether anything may be fetched.
  var line: @Sendable () -> Line = { .open }
  /// For entries of which there is only a web page.
  let resolver: Resolver?
  /// The failures of files and addresses, which outlive a version.
  let failures: Failures
  /// Which origins are asked for small pieces.
  var cautions = Cautions()
  /// Told why something is not kept on disk.
  let complain: @Sendable (String) -> Void
  /// Told what happens to the version with an inode.
  let tell: @Sendable (_ event: Event, _ inode: UInt64) -> Void

  /// May block on the disk.
  func make(_ entry: CatalogEntry) -> EntryVersion {
    let known = representation(of: entry)
    let tell: @Sendable (Event) -> Void = { [tell, inode = entry.inode] in tell($0, inode) }
    let origin = HTTPOrigin(
      client, for: feed, sources: entry.sources.map(\.url), first: entry.source.url,
      expected: known,
      resolver: entry.media.isPage ? resolver : nil, failures: failures,
      cautions: cautions
    ) { tell(.answered($0)) }
    let store = EntryStoreBox()
    let filler = EntryFiller(
      known: known, duration: entry.media.duration.map { .seconds($0) }, origin: origin,
      timekeeper: timekeeper, rules: rules, line: line(),
      seed: .random(in: .min ... .max),
      makeStore: { proved in
        let made = open(entry, proved)
        store.value = made
        return made
      },
      tell: { tell(.filled($0)) })
    return EntryVersion(
      number: entry.number, inode: entry.inode, origin: origin, filler: filler,
      store: store)
  }

  /// The origin has another version of `entry` than is known. Where it names none, both would be kept
  /// under one name: the old one gives it up. May block on the disk.
  func replaced(_ entry: CatalogEntry) {
    guard let known = entry.known?.representation, known.validator == .none else { return }
    cache.remove(key(of: entry, known), known)
  }

  /// What the files of the version of `entry` are called that its name means; nil: nothing is known of it.
  func name(of entry: CatalogEntry) -> String? {
    representation(of: entry).map { name(of: entry, $0) }
  }

  func name(of entry: CatalogEntry, _ representation: Representation) -> String {
    cache.name(of: key(of: entry, representation), representation)
  }

  /// What the disk has of `entry`; may block on it.
  func measure(_ entry: CatalogEntry) -> Holding {
    guard let known = representation(of: entry) else { return Holding(bytes: 0, isSound: false) }
    return cache.holding(key(of: entry, known), known)
  }

  /// What the catalog knows; else what the cache has, which a kill may have left ahead of it, unless
  /// that is the version which the origin has replaced.
  private func representation(of entry: CatalogEntry) -> Representation? {
    if let known = entry.known { return known.representation }
    return cache.newest(of: entry.key, besides: Set(entry.replaced.map(\.representation)))
  }

  private func open(_ entry: CatalogEntry, _ proved: Representation) -> EntryStore {
    var file: EntryFile?
    do {
      file = try cache.open(
        key(of: entry, proved), proved, contentType: entry.known?.contentType, create: true)
    } catch {
      complain(error.description)
    }
    return EntryStore(
      file, in: cache, length: proved.length, keptInMemory: rules.keptInMemory, complain: complain)
  }

  /// Where the origin names no version, the address is part of the identity.
  private func key(of entry: CatalogEntry, _ representation: Representation) -> EntryKey {
    let hasVersion = representation.validator != .none
    return EntryKey(entry: entry.key, salt: hasVersion ? "" : entry.source.url)
  }
}
