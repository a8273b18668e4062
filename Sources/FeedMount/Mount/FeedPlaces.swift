import Catalog
import FeedReading
import Fuse
import Locks
import World

/// The feeds of a mount, each with its place. In a mount of subscriptions feeds come and go.
///
/// Safe from any thread.
final class FeedPlaces: Sendable {
  /// A feed with its place in the mount.
  struct Place: Sendable {
    let feed: MountedFeed
    let tree: FeedFileSystem
    /// The folder's name; empty for the root.
    var folder: String
    /// The name that the user gives the folder; nil if the user gives none.
    var wish: String?
    /// The place of the folder in listings.
    var number: Int
    /// True if the feed leaves the mount as soon as none of its files is open.
    var isLeaving = false

    /// The prefix of the names of the feed's files in the mount.
    var prefix: String { folder.isEmpty ? "" : folder + "/" }
  }

  struct State {
    /// The feeds that the mount lists.
    var listed: [Place] = []
    /// The feeds that have left the listing and have not ended. A program can still be opening a
    /// file of these feeds.
    var departed: [Place] = []
    var nextNumber = 0
    var shape = FeedSetFileSystem.Shape()
    /// The time of the last change of the feeds, in microseconds since 1970; 0 if there was none. A
    /// status that is older than this cannot be brought up to date by the changes of entries alone.
    var revision = 0
    var isWatching = false
    var hasBegun = false
    var hasEnded = false
    var layout: MountLayout
  }

  let set: FeedSet
  let world: World
  let preloader: Preloader
  let state: Locked<State>
  /// The queue on which feeds are ended, because their end waits for the disk.
  let jobs: any JobQueue
  private let layoutFile: LayoutFile?
  private let makeTree: @Sendable (MountedFeed) -> FeedFileSystem

  /// - Parameters:
  ///   - feeds: the feeds at the start, as `set` made them.
  ///   - layoutFile: the remembered layout; nil if the mount point has none.
  ///   - makeTree: makes the tree of a feed in a mount of several.
  init(
    _ feeds: [MountedFeed], of set: FeedSet, layoutFile: LayoutFile?, preloader: Preloader,
    in world: World, makeTree: @escaping @Sendable (MountedFeed) -> FeedFileSystem
  ) {
    self.set = set
    self.world = world
    self.preloader = preloader
    self.layoutFile = layoutFile
    self.makeTree = makeTree
    jobs = world.jobs("feedfs.leaving")
    var state = State(layout: layoutFile?.layout ?? MountLayout())
    state.layout.begin(with: feeds.map { MountLayout.id(of: $0.key) })
    self.state = Locked(state)
    // Feeds whose name is given or remembered are named first, whatever their order is.
    let named = feeds.map { $0.choice.name != nil || $0.hasRememberedName }
    let order = feeds.indices.sorted {
      named[$0] && !named[$1] || named[$0] == named[$1] && $0 < $1
    }
    var places: [Int: Place] = [:]
    // The feed at the root comes first, because no folder is allowed to take a name that it has.
    for index in order.filter({ feeds[$0].space == .whole })
      + order.filter({ feeds[$0].space != .whole })
    {
      places[index] = place(of: feeds[index], besides: Array(places.values))
    }
    self.state.withLock { state in
      state.listed = feeds.indices.compactMap { places[$0] }
      for index in state.listed.indices { state.listed[index].number = index }
      state.nextNumber = feeds.count
      state.reshape()
    }
    layoutFile?.remember(state.layout)
  }

  /// The feeds that the mount lists, in order.
  var listed: [Place] { state.withLock { $0.listed } }

  /// All feeds that have not ended, also those that have left the listing.
  var all: [Place] { state.withLock { $0.listed + $0.departed } }

  var shape: FeedSetFileSystem.Shape { state.withLock { $0.shape } }

  /// The time when a feed last came or went, in microseconds since 1970; 0 if none did.
  var revision: Int { state.withLock { $0.revision } }

  /// Starts the listed feeds, because they are mounted from now on.
  func begin() {
    let places = state.withLock { state in
      state.hasBegun = true
      return state.listed
    }
    for place in places { place.feed.begin() }
  }

  /// Returns all feeds, so that the caller can end them. No feed joins from now on.
  func end() -> [MountedFeed] {
    state.withLock { state in
      state.hasEnded = true
      return (state.listed + state.departed).map(\.feed)
    }
  }

  // MARK: Places

  /// Returns the place of a feed that is not listed yet.
  func place(of feed: MountedFeed, besides others: [Place]) -> Place {
    let isRoot = feed.space == .whole
    return Place(
      feed: feed, tree: makeTree(feed),
      folder: isRoot ? "" : name(of: feed, feed.choice.name, besides: others),
      wish: feed.choice.name, number: 0)
  }

  /// Returns a name for the folder of `feed` that nothing else in the mount has. Saves the name for
  /// later mounts.
  func name(of feed: MountedFeed, _ wish: String?, besides others: [Place]) -> String {
    var taken = Set(others.map(\.folder))
    let root = others.first { $0.folder.isEmpty }?.tree
    while let root {
      let name = feed.folderName(wish, besides: taken)
      guard Self.isTaken(name, in: root), taken.insert(name).inserted else { break }
    }
    return feed.takeFolderName(wish, besides: taken)
  }

  /// Whether the feed at the root has a file of this name, or can get one later.
  private static func isTaken(_ name: String, in root: FeedFileSystem) -> Bool {
    root.live.catalog.mayCall(name) || (try? root.lookup(name, in: .root)) != nil
      || name == FeedFileSystem.controlName
  }

  /// Returns the inode range of a feed that joins. A feed that was at the root before gets the root
  /// again.
  func space(of key: FeedKey, besides slots: inout Set<UInt64>) -> InodeSpace {
    let root = state.withLock { $0.layout.root }
    guard MountLayout.id(of: key) != root else { return .whole }
    return InodeSpace(of: key, besides: &slots)
  }

  /// Saves that these feeds have a place at the mount point.
  func remember(_ feeds: [MountedFeed]) {
    let layout = state.withLock { state in
      for feed in feeds { state.layout.join(MountLayout.id(of: feed.key)) }
      return state.layout
    }
    layoutFile?.remember(layout)
  }
}

extension FeedPlaces.State {
  /// Rebuilds the shape after a change of the feeds.
  mutating func reshape() {
    shape.root = listed.first { $0.folder.isEmpty }?.tree
    shape.folders = listed.filter { !$0.folder.isEmpty }.sorted { $0.number < $1.number }.map {
      FeedSetFileSystem.Folder(name: $0.folder, number: $0.number, tree: $0.tree)
    }
    shape.bySlot = Dictionary((listed + departed).map { ($0.feed.space.slot, $0.tree) }) {
      first, _ in
      first
    }
  }

  /// Notes that the feeds have changed.
  ///
  /// - Parameter now: microseconds since 1970.
  mutating func changed(at now: Int) {
    revision = max(revision + 1, now)
    shape.changedAt = now / 1_000_000
    reshape()
  }
}
