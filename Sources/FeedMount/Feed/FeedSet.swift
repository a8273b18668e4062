import Blocks
import FeedReading
import HTTP
import Host
import Logging
import Storage
import World

/// Makes the feeds of a mount, and reads each feed that was never read.
struct FeedSet: Sendable {
  /// The longest time that a mount of several feeds waits for feeds that were never read. If some
  /// of its feeds are known, it waits only for `timeoutBesideOthers`: without a network it would
  /// wait in vain.
  private static let timeout: Duration = .seconds(2)
  private static let timeoutBesideOthers: Duration = .milliseconds(500)

  private let needs: FeedNeeds
  private let lists: FeedLists
  private let layout: MountLayout?

  /// - Parameter layout: the remembered layout of the mount point. If it is nil, a single feed has
  ///   the mount to itself, and each of several feeds has a folder.
  init(_ needs: FeedNeeds, layout: MountLayout? = nil) {
    self.needs = needs
    self.layout = layout
    lists = FeedLists(in: needs.directories, on: needs.world.disk)
  }

  private var world: World { needs.world }

  /// Returns the feeds of `choices`, with the feeds of a list in the place of the list. If this
  /// throws, no feed stays locked.
  func feeds(_ choices: [FeedChoice]) async throws(CommandError) -> [MountedFeed] {
    let known = await lists.current(of: choices, in: world)
    let feeds = try await make(known)
    do throws(CommandError) {
      let found = try await read(feeds)
      guard !found.isEmpty else { return feeds }
    } catch {
      for feed in feeds { feed.end() }
      throw error
    }
    // Some feeds turned out to be lists. They are remembered now, so all feeds are made once more.
    for feed in feeds { feed.end() }
    let all = try await make(lists.remembered(of: known))
    _ = await readTogether(all)
    return all
  }

  /// Returns `choices` with the feeds of each known list in the place of the list.
  func expanded(_ choices: [FeedChoice]) async throws(CommandError) -> [FeedChoice] {
    await lists.current(of: try FeedLists.fromFiles(choices), in: world)
  }

  /// The feeds that join a mount while it runs.
  struct Newcomers: Sendable {
    var feeds: [MountedFeed] = []
    /// The feeds of documents that turned out to be lists. They have not joined yet.
    var listed: [FeedChoice] = []
    var errors: [CommandError] = []
  }

  /// Makes the feeds of `choices`, each in its inode range, and reads each feed that was never
  /// read. A feed that does not answer joins too.
  func join(_ choices: [(choice: FeedChoice, space: InodeSpace)]) async -> Newcomers {
    var newcomers = Newcomers()
    for (choice, space) in choices {
      do throws(CommandError) {
        newcomers.feeds.append(try await make(choice, at: space))
      } catch {
        newcomers.errors.append(error)
      }
    }
    for feed in await readTogether(newcomers.feeds) {
      feed.end()
      newcomers.feeds.removeAll { $0 === feed }
      newcomers.listed += lists.remembered(of: [feed.choice])
    }
    return newcomers
  }

  // MARK: Private

  private func make(
    _ choice: FeedChoice, at space: InodeSpace
  ) async throws(CommandError) -> MountedFeed {
    try await MountedFeed.make(
      choice, at: space, with: needs, firstPage: headStart(for: choice))
  }

  private func make(_ choices: [FeedChoice]) async throws(CommandError) -> [MountedFeed] {
    var feeds: [MountedFeed] = []
    do throws(CommandError) {
      for (choice, space) in zip(choices, try spaces(of: choices)) {
        feeds.append(try await make(choice, at: space))
      }
      guard !feeds.isEmpty else {
        throw CommandError(.noInput, "the list names no feed that can be mounted")
      }
      return feeds
    } catch {
      for feed in feeds { feed.end() }
      throw error
    }
  }

  /// Asks for the first page of a feed that was never read. Returns nil for any other feed, and if
  /// the mount is not online.
  private func headStart(for choice: FeedChoice) -> HeadStart? {
    guard needs.networkControl.mode == .online, !MountedFeed.isKnown(choice, with: needs),
      let start = HeadStart(choice, in: world)
    else { return nil }
    // The parser loads its library while the request is under way, so this costs no time. The
    // library must be loaded before the mount is made, because no other thread is allowed to open
    // files at that moment (`FuseSession`).
    FeedParser.prepare()
    return start
  }

  /// Returns the inode range of each feed. The feed at the root gets the range of the mount itself.
  private func spaces(of choices: [FeedChoice]) throws(CommandError) -> [InodeSpace] {
    var keys: [FeedKey] = []
    for choice in choices {
      do { keys.append(try FeedKey(choice.address)) } catch { throw CommandError(error) }
    }
    let ids = keys.map(MountLayout.id)
    var layout = layout ?? MountLayout()
    layout.begin(with: ids)
    var slots: Set<UInt64> = []
    return zip(keys, ids).map { key, id in
      id == layout.root ? .whole : InodeSpace(of: key, besides: &slots)
    }
  }

  /// Reads each feed that was never read; returns the feeds that turned out to be lists of feeds.
  private func read(_ feeds: [MountedFeed]) async throws(CommandError) -> [MountedFeed] {
    guard feeds.count == 1, let feed = feeds.first else { return await readTogether(feeds) }
    guard !feed.isKnown else { return [] }
    do {
      try await feed.readFirst()
      return []
    } catch {
      if remember(error, of: feed) { return [feed] }
      throw CommandError(error)
    }
  }

  private func readTogether(_ feeds: [MountedFeed]) async -> [MountedFeed] {
    let unknown = feeds.filter { !$0.isKnown }
    let readings = unknown.map { feed in
      world.tasks.start { () -> FeedPage.Failure? in
        do throws(FeedPage.Failure) {
          try await feed.readFirst()
          return nil
        } catch {
          return error
        }
      }
    }
    let timeout = unknown.count < feeds.count ? Self.timeoutBesideOthers : Self.timeout
    let deadline = world.tasks.now + timeout
    var found: [MountedFeed] = []
    for (feed, reading) in zip(unknown, readings) {
      let rest = max(deadline - world.tasks.now, .zero)
      let failure = await world.tasks.value(of: reading, within: rest) ?? nil
      if let failure, remember(failure, of: feed) { found.append(feed) }
    }
    return found
  }

  private func remember(_ failure: FeedPage.Failure, of feed: MountedFeed) -> Bool {
    guard case .list(let links) = failure else { return false }
    lists.remember(links, of: feed.choice)
    return true
  }
}
