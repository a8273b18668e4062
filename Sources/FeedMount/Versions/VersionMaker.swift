import Addresses
import Blocks
import Catalog
import FeedReading
import HTTP
import NIOConcurrencyHelpers
import Storage
import Streaming

/// Makes the version of an entry: its origin, its place in the cache, and the filler between them.
///
/// Safe from any thread.
struct VersionMaker: Sendable {
  /// An event in the life of a version, told on the thread that causes it.
  enum Event: Sendable {
    /// An answer passed the check. Its version has this strong date, if one is known.
    case answered(AcceptedAnswer, String?)
    /// The tags of the file do not count at this origin. Its version has this strong date.
    case untagged(String, String?)
    /// The page of the entry has told facts about it.
    case learned(LearnedFacts)
    /// The stream of the entry has these subtitles.
    case found([Subtitle])
    /// The entry is live, as its page or its origin says.
    case isLive
    case filled(EntryFiller.Event)
  }

  let world: World
  /// The address of the feed as the user typed it.
  let feed: TypedAddress?
  let cache: CacheDirectory
  let timekeeper: any Timekeeper
  let rules: FillRules
  /// Returns the network mode, which says whether anything may be fetched.
  var mode: @Sendable () -> NetworkMode = { .online }
  /// Returns whether the read-ahead is short.
  var isSparing: @Sendable () -> Bool = { false }
  /// Finds the media of entries that have only a web page.
  let resolver: Resolver?
  /// The failures of files and addresses, which outlive a version.
  let failures: Failures
  /// The origins that are asked for small pieces only.
  var cautions = Cautions()
  /// Makes the origins of streams; nil if streams are no files.
  var films: StreamMaker?
  /// The lines to the origins, which outlive a version and a mount.
  let lines: KnownLines
  /// Called with the reason when bytes are not stored on disk.
  let complain: @Sendable (String) -> Void
  /// Called with each event of a version and the version's inode.
  let tell: @Sendable (_ event: Event, _ inode: UInt64) -> Void

  /// Makes the version of `entry`; may block on the disk.
  func make(_ entry: CatalogEntry) -> EntryVersion {
    // The first answer to a reader proves the version. The origin may have had another one when it
    // was asked for the size.
    let known = entry.known?.isMeasured ?? false ? nil : representation(of: entry)
    let tell: @Sendable (Event) -> Void = { [tell, inode = entry.inode] in tell($0, inode) }
    /// The address of the last answer, after redirects.
    let place = NIOLockedValueBox<String?>(nil)
    let origin = HTTPOrigin(
      world.network, for: feed, sources: entry.sources.map(\.url), first: entry.source.url,
      expected: known,
      resolver: entry.media.isPage ? resolver : nil, format: entry.pageFormat,
      failures: failures, cautions: cautions, films: films, streams: entry.streamAddresses,
      chapters: ChapterFinder(of: entry), tasks: world.tasks, learned: { tell(.learned($0)) },
      found: { tell(.found($0)) }, isLive: { tell(.isLive) }, marks: marks(of: entry, known),
      untagged: { tell(.untagged($0, $1)) }
    ) { answer, date in
      place.withLockedValue { $0 = answer.finalURL }
      tell(.answered(answer, date))
    }
    let store = EntryStoreBox()
    var rules = rules
    rules.tail = tail(of: entry)
    rules.line = lines.line(to: entry.source.url)
    // The first fetch takes one of them.
    rules.hasSpareConnection = world.network.spareConnections(to: entry.source.url) > 1
    let filler = EntryFiller(
      known: known, duration: entry.duration.map { .seconds($0) }, origin: origin,
      timekeeper: timekeeper, rules: rules, mode: mode(),
      seed: world.random(),
      makeStore: { proved in
        let made = open(
          key(of: entry, proved), proved, contentType: entry.known?.contentType)
        store.value = made
        return made
      },
      growths: growths(of: entry, from: origin, in: store),
      tell: { event in
        learn(event, of: entry.inode, from: origin, at: place.withLockedValue { $0 })
        tell(.filled(event))
      })
    return EntryVersion(
      number: entry.number, inode: entry.inode, origin: origin, filler: filler,
      store: store)
  }

  private func marks(of entry: CatalogEntry, _ known: Representation?) -> HTTPOrigin.Marks {
    guard let body = entry.known, known == body.representation else { return HTTPOrigin.Marks() }
    return HTTPOrigin.Marks(untaggedAt: body.untaggedAt, date: body.date)
  }

  /// Notes that the origin has another version of `entry`. If the old version has no validator,
  /// both would have the same name in the cache. So the old files are removed. The same holds for a
  /// body without length. May block on the disk.
  func replaced(_ entry: CatalogEntry) {
    let longest = rules.longestGrowth
    let salt = entry.source.url
    if let body = cache.growing(of: entry.key, salt: salt, longest: longest) {
      let (key, version) = growing(entry, body)
      cache.remove(key, version)
    }
    guard let known = entry.known?.representation, known.validator == .none else { return }
    cache.remove(key(of: entry, known), known)
  }

  /// Returns the name of the files of the current version of `entry`; nil if no version is known.
  func name(of entry: CatalogEntry) -> String? {
    representation(of: entry).map { name(of: entry, $0) }
  }

  func name(of entry: CatalogEntry, _ representation: Representation) -> String {
    cache.name(of: key(of: entry, representation), representation)
  }

  /// Returns how much of `entry` is cached on disk; may block on it.
  func measure(_ entry: CatalogEntry) -> Holding {
    guard let known = representation(of: entry) else { return Holding(bytes: 0, isDurable: false) }
    return cache.holding(key(of: entry, known), known)
  }

  /// Returns the version in the catalog, or else the newest in the cache. After a kill the cache
  /// can be ahead of the catalog. Versions that the origin has replaced do not count.
  private func representation(of entry: CatalogEntry) -> Representation? {
    if let known = entry.known { return known.representation }
    return cache.newest(of: entry.key, besides: Set(entry.replaced.map(\.representation)))
  }

  func open(
    _ key: EntryKey, _ version: Representation, contentType: String?
  ) -> EntryStore {
    var file: EntryFile?
    do {
      file = try cache.open(key, version, contentType: contentType, create: true)
    } catch {
      complain(error.description)
    }
    return store(file, version.length)
  }

  func store(_ file: EntryFile?, _ length: Int) -> EntryStore {
    EntryStore(
      file, in: cache, length: length, keptInMemory: rules.keptInMemory, complain: complain)
  }

  /// Returns the key of a version in the cache. Without a validator, the address is part of it.
  private func key(of entry: CatalogEntry, _ representation: Representation) -> EntryKey {
    let hasVersion = representation.validator != .none
    return EntryKey(entry: entry.key, salt: hasVersion ? "" : entry.source.url)
  }
}
