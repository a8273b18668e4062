import Addresses
import Blocks
import Catalog
import FeedReading
import Filling
import HTTP
import Storage
import StreamFiles
import World

/// Makes the version of an entry: its origin, its place in the cache, and the filler between them.
///
/// Safe from any thread.
struct VersionMaker: Sendable {
  /// An event in the life of a version, reported on the thread that causes it.
  enum Event: Sendable {
    case told(OriginNews)
    case filled(EntryFiller.Event)
  }

  let world: World
  let origins: OriginNeeds
  let cache: CacheDirectory
  let timekeeper: any Timekeeper
  let rules: FillRules
  /// Returns the network mode, which says what is allowed to be fetched.
  var mode: @Sendable () -> NetworkMode = { .online }
  /// Returns whether the read-ahead is short.
  var isSparing: @Sendable () -> Bool = { false }
  /// The measured rates of the origins, and the usual place of the index in files. Both are saved.
  let lines: KnownLines
  /// Called with the reason when bytes are not stored on disk.
  let complain: @Sendable (String) -> Void
  /// Called with each event of a version and the version's inode.
  let tell: @Sendable (_ event: Event, _ inode: UInt64) -> Void

  /// Makes the version of `entry`; can block on the disk.
  func make(_ entry: CatalogEntry) -> EntryVersion {
    // If only the size of a version was asked for, the version is not proved, because the origin
    // can serve another version by now. The first answer to a reader proves it.
    let known = entry.known?.isMeasured ?? false ? nil : cache.representation(of: entry)
    let tell: @Sendable (Event) -> Void = { [tell, inode = entry.inode] in tell($0, inode) }
    let origin = HTTPOrigin(
      choice(of: entry, known), with: origins, chapters: ChapterFinder(of: entry)
    ) { tell(.told($0)) }
    let store = EntryStoreBox()
    var rules = rules
    rules.tail = tail(of: entry)
    rules.line = lines.line(to: entry.source.url)
    // The first fetch takes one of the spare connections, so two are needed.
    rules.hasSpareConnection = world.network.spareConnections(to: entry.source.url) > 1
    let filler = EntryFiller(
      known: known, duration: entry.duration.map { .seconds($0) }, origin: origin,
      timekeeper: timekeeper, rules: rules, mode: mode(),
      seed: world.random(),
      makeStore: { proved in
        let made = open(
          cache.key(of: entry, proved), proved, contentType: entry.known?.contentType)
        store.value = made
        return made
      },
      growths: growths(of: entry, from: origin, in: store),
      tell: { event in
        learn(event, of: entry.inode, from: origin)
        tell(.filled(event))
      })
    return EntryVersion(
      number: entry.number, inode: entry.inode, origin: origin, filler: filler,
      store: store)
  }

  /// Returns the choice among the addresses of `entry`. `known` is its proved version; nil if none
  /// is.
  private func choice(of entry: CatalogEntry, _ known: Representation?) -> AddressChoice {
    AddressChoice(
      of: Candidates(entry.sources.map(\.url), current: entry.source.url),
      isPage: entry.media.isPage && origins.resolver != nil,
      formats: PageFormats(mark: entry.pageFormat),
      streams: origins.films == nil ? nil : entry.streamAddresses,
      proof: VersionProof(known, marks(of: entry, known)))
  }

  private func marks(of entry: CatalogEntry, _ known: Representation?) -> VersionMarks {
    guard let body = entry.known, known == body.representation else { return VersionMarks() }
    return VersionMarks(untaggedAt: body.untaggedAt, date: body.date)
  }

  /// Notes that the origin has another version of `entry`. Removes the files of the old version if
  /// it has no validator, because the new version would have the same name in the cache. Removes
  /// the files of a body without length for the same reason. Can block on the disk.
  func replaced(_ entry: CatalogEntry) {
    let maxLength = rules.growth.maxGrowth
    let salt = entry.source.url
    if let body = cache.growing(of: entry.key, salt: salt, maxLength: maxLength) {
      let (key, version) = growing(entry, body)
      cache.remove(key, version)
    }
    guard let known = entry.known?.representation, known.validator == .none else { return }
    cache.remove(cache.key(of: entry, known), known)
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
      file, in: cache, length: length, cachedInMemory: rules.sizes.cachedInMemory,
      complain: complain)
  }
}
