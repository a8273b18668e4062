import Addresses
import Catalog
import FeedReading
import Fuse
import HTTP
import Host
import Locks
import Storage
import StreamFiles
import Streams
import SystemPackage
import World

/// The small files beside the entries: subtitles, covers, NFO files.
///
/// A sidecar is fetched as a whole when it is first opened, and cached. A player opens all sidecars
/// of an entry before it plays the entry. So a sidecar that does not arrive within `timeout` counts
/// as absent for `pause`, and delays the player only once. Safe from any thread.
final class SidecarFiles: Sendable {
  /// A sidecar with its place in the tree.
  struct Item: Sendable {
    let sidecar: Sidecar
    /// The entry's number; 0 for a picture of the feed.
    let number: Int
    let index: Int
    /// The name of the sidecar's link in `by-title`.
    let titleName: String
    /// Seconds since 1970.
    let modified: Int
    /// The generated content; nil if the sidecar is fetched.
    let content: [UInt8]?

    var name: String { sidecar.name }
    var node: FeedNode { .sidecar(number: number, index: index) }
  }

  private struct State {
    var sizes: [String: Int] = [:]
    /// Addresses whose size became known while this mount ran. The kernel can still have the likely
    /// size of their sidecars.
    var fetched: Set<String> = []
    /// Inodes for which `claim` has returned the likely size. It returns that only once for each
    /// inode.
    var claimed: Set<UInt64> = []
    /// Addresses that failed, and the time from which each can be asked again.
    var failed: [String: Duration] = [:]
    var running: [String: Task<[UInt8]?, Never>] = [:]
  }

  /// The longest time that a player waits for a sidecar.
  static let timeout: Duration = .seconds(5)
  /// The time before a failed address is asked again.
  private static let pause: Duration = .seconds(60)
  /// The size limit in bytes. A picture, or the subtitles of a long video, have some hundred KiB.
  private static let maxBytes = 16 << 20
  /// The size in bytes that the kernel is told for a sidecar that was never fetched.
  static let likelySize = 16 << 10
  /// The size limit in bytes of a sidecar that is fetched only for its size.
  private static let small = 1 << 20

  let live: LiveCatalog
  let kinds: Set<Sidecar.Kind>
  private let cache: CacheDirectory
  private let world: World
  private let feed: TypedAddress?
  private let state = Locked(State())

  /// - Parameter feed: the address of the feed as the user typed it.
  init(
    _ live: LiveCatalog, kinds: Set<Sidecar.Kind>, cache: CacheDirectory, in world: World,
    feed: TypedAddress?
  ) {
    self.live = live
    self.feed = feed
    self.kinds = kinds
    self.cache = cache
    self.world = world
  }

  /// Returns the size in bytes; nil if the sidecar was never fetched.
  func size(of item: Item) -> Int? {
    guard let url = item.sidecar.url else { return item.content?.count }
    if let size = state.withLock({ $0.sizes[url] }) { return size }
    guard let size = cache.sizeOfDocument(at: url) else { return nil }
    state.withLock { $0.sizes[url] = size }
    return size
  }

  // MARK: Opening

  /// Opens a sidecar. If it cannot be fetched, the player is told that the file does not exist.
  func open(_ item: Item, _ reply: OpenReply) {
    guard let url = item.sidecar.url else {
      return reply.opened(WholeFile(item.content ?? []), .none)
    }
    let answer = OneShot { [self] (content: [UInt8]?) in
      guard let content else { return reply.fail(.noSuchFileOrDirectory) }
      let inode = item.node.inode
      // sendfile and splice end at the size that the kernel knows, even if the content is longer.
      // So the kernel is told the size before the open is answered.
      live.settleSidecar(content, of: inode, claim: claim(of: url, inode), for: reply.thread) {
        isSettled in
        if isSettled {
          reply.opened(WholeFile(content), .none)
        } else {
          reply.fail(.staleNFSFileHandle)
        }
      }
    }
    wait(for: url, of: item.number, answer) {
      reply.willWait(for: $0, story: $1, cancel: $2)
    }
  }

  /// Returns the likely size if the kernel can still have it, because it asked before the sidecar
  /// was fetched. Returns nil otherwise. Only the first call for `inode` returns the size.
  private func claim(of url: String, _ inode: UInt64) -> Int? {
    state.withLock { state in
      guard state.fetched.contains(url), state.claimed.insert(inode).inserted else { return nil }
      return Self.likelySize
    }
  }

  /// Fetches a sidecar and then answers with its attributes, which include its size.
  func fetch(
    _ item: Item, _ reply: AttributesReply,
    attributes: @escaping @Sendable () throws(Errno) -> Attributes
  ) {
    let answer = OneShot { (content: [UInt8]?) in
      do throws(Errno) {
        guard content != nil else { throw .noSuchFileOrDirectory }
        reply.attributes(try attributes())
      } catch {
        reply.fail(error)
      }
    }
    guard let url = item.sidecar.url else { return answer.give(item.content ?? []) }
    wait(for: url, of: item.number, answer) {
      reply.willWait(for: $0, story: $1, cancel: $2)
    }
  }

  /// Lets a request wait, as `OpenReply.willWait` does.
  typealias Parking = (
    _ cause: String, _ story: @escaping @Sendable () -> String,
    _ cancel: @escaping @Sendable () -> Void
  ) -> Bool

  /// Gives `answer` the content of the address, or nil if the content does not arrive within
  /// `timeout`.
  ///
  /// - Parameter number: the number of the entry.
  func wait(
    for url: String, of number: Int, _ answer: OneShot<[UInt8]?>, _ park: Parking
  ) {
    guard park("sidecars", { "a file beside a film" }, { answer.give(nil) }) else {
      return answer.give(nil)
    }
    let content = world.tasks.start { await self.content(at: url, of: number) }
    world.tasks.start { [self] in
      let outcome = await world.tasks.value(of: content, within: Self.timeout)
      if outcome == nil {
        // The address is not asked again for a while, so that the next player does not wait for it.
        let end = world.tasks.now + Self.pause
        state.withLock { $0.failed[url] = end }
      }
      answer.give(outcome ?? nil)
    }
  }

  /// Returns the content from the cache or the origin, with one fetch for all concurrent callers.
  private func content(at url: String, of number: Int) async -> [UInt8]? {
    let now = world.tasks.now
    let task: Task<[UInt8]?, Never>? = state.withLock { state in
      if let pause = state.failed[url], pause > now { return nil }
      if let running = state.running[url] { return running }
      let task = world.tasks.start { await self.fetch(url, of: number) }
      state.running[url] = task
      return task
    }
    return await task?.value
  }

  /// The addresses of the sidecars of `entry` that were never fetched. Empty for a web page or a
  /// stream, because the sidecars of these are found and made only when they are read.
  func unmeasured(of entry: CatalogEntry) -> [String] {
    guard !entry.media.isPage, !entry.source.isStream else { return [] }
    return items(of: entry).filter { size(of: $0) == nil }.compactMap(\.sidecar.url)
  }

  /// The addresses of the feed's pictures, if they were never fetched.
  var unmeasuredOfFeed: Set<String> {
    Set(itemsOfFeed.filter { size(of: $0) == nil }.compactMap(\.sidecar.url))
  }

  /// Fetches a sidecar only to learn its size, if it is small. Throws if the size cannot be
  /// learned.
  func measure(_ url: String) async throws(HTTPError) {
    guard cache.sizeOfDocument(at: url) == nil else { return }
    var request = DocumentRequest(url: url, limit: Self.small)
    request.feed = feed
    let document = try await world.network.get(request)
    guard !Self.isPage(document), !StreamFinder.isPlaylist(document.bytes) else {
      throw .refused(url: WebAddress.shown(url), .notMedia(contentType: "text/html"))
    }
    cache.keep(document.bytes, at: url)
    state.withLock { state in
      state.sizes[url] = document.bytes.count
      state.fetched.insert(url)
    }
  }

  /// Returns whether the answer is an HTML page, such as a captive portal sends.
  private static func isPage(_ document: Document) -> Bool {
    BodyKind.isPage(document.bytes, called: document.contentType ?? "")
  }

  /// Returns the subtitles of a stream as one file; nil if they cannot be read.
  private func merged(
    _ document: [UInt8], at url: String, asked: String, of number: Int, _ cookies: CookieJar
  ) async -> [UInt8]? {
    let known = live.entry(number: number)?.known?.representation
    let layout = known.flatMap { live.layouts.layout(of: $0) }
    let merger = TextMerger(
      pieces: PieceClient(
        client: world.network, feed: feed, tasks: world.tasks, cookies: cookies))
    let name = asked.firstIndex(of: "#").map { String(asked[$0...].dropFirst()) }
    return try? await merger.document(document, at: url, name: name, zero: layout?.firstStamp)
  }

  private func fetch(_ url: String, of number: Int) async -> [UInt8]? {
    var content = cache.document(at: url)
    let cookies = CookieJar()
    var request = DocumentRequest(url: url, limit: Self.maxBytes)
    request.feed = feed
    request.cookies = cookies
    if content == nil, let document = try? await world.network.get(request) {
      content = Self.isPage(document) ? nil : document.bytes
      if let bytes = content, TextMerger.takes(bytes, at: url) {
        content = await merged(bytes, at: document.finalURL, asked: url, of: number, cookies)
      }
      if let content { cache.keep(content, at: url) }
    }
    let end = world.tasks.now + Self.pause
    state.withLock { [content] state in
      state.running[url] = nil
      if let content, state.sizes.updateValue(content.count, forKey: url) != content.count {
        state.fetched.insert(url)
      }
      state.failed[url] = content == nil ? end : nil
    }
    return content
  }
}

/// An open descriptor of a small file, with its content at the time of the open.
private final class WholeFile: OpenFile {
  private let content: [UInt8]

  init(_ content: [UInt8]) {
    self.content = content
  }

  func read(_ range: Range<Int>, reply: ReadReply) {
    let part = Array(content[range.clamped(to: 0..<content.count)])
    _ = reply.bytes(part.span.bytes)
  }

  func close() {}
}
