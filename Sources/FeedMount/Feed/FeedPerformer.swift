import Filling
import Fuse
import Blocks
import Dispatch
import Catalog
import FeedReading
import Logging
import Locks
import Storage
import World

/// Performs the actions of `FeedState` for one mounted feed.
///
/// Safe from any thread. The lock is held only while the actions for a fact are chosen. The thread
/// that posts the fact performs them before it goes on. So when a version becomes stale, a reader
/// gets its error only after the catalog has the new version. Blocking work runs on `chores`.
final class FeedPerformer: Sendable {
  private let workers: FeedWorkers
  private let needs: FeedNeeds
  private let facts: FeedFacts
  private let passthrough: PassthroughQueue
  private let state = Locked(FeedState())

  /// Creates the performer, which receives all facts about the feed from now on.
  init(_ facts: FeedFacts, of workers: FeedWorkers, with needs: FeedNeeds) {
    self.facts = facts
    self.workers = workers
    self.needs = needs
    passthrough = PassthroughQueue(needs.world.jobs("feedfs.passthrough", qos: .utility))
    facts.deliver { [self] in happened($0) }
  }

  /// Saves the catalog a last time. Facts that come later have no effect.
  func end() {
    facts.end()
    passthrough.end()
    saver.end()
  }

  // MARK: Private

  private var live: LiveCatalog { workers.live }
  private var saver: CatalogSaver { workers.saver }
  private var refresher: FeedRefresher { workers.refresher }
  private var keeper: Keeper { workers.keeper }
  private var chores: any JobQueue { workers.chores }
  private var space: InodeSpace { workers.space }
  private var preloader: Preloader { needs.preloader }
  private var world: World { needs.world }
  private var log: Logger { needs.log }

  private func happened(_ fact: FeedFact) {
    let actions = state.withLock { $0.happened(fact) }
    for action in actions { perform(action) }
  }

  private func perform(_ action: FeedState.Action) {
    switch action {
    case .save: saver.changed()
    case .notify(let notice): notify(notice)
    case .tellSize(let size, let inode, let isGreater):
      // A waiting open must be answered, even after the end.
      world.kernel.sizeProved(size, of: space.node(inode), isGreater: isGreater) { [live] hasIt in
        live.told(inode, hasIt: hasIt)
      }
    case .tellGrowth(let size, let last, let inode):
      world.kernel.sizeGrew(to: size, last: last, of: space.node(inode)) { [live] hasIt in
        live.told(inode, hasIt: hasIt)
      }
    case .followPins: preloader.followPins(of: live)
    case .reviewKeeping: keeper.review()
    case .followPin(let inode): preloader.followPin(of: inode, in: live)
    case .preload(let event, let inode): preloader.happened(event, to: inode, in: live)
    case .take(let news, let inode): take(news, of: inode)
    case .complete(let inode): complete(inode)
    case .markStale(let inode):
      log.info(
        "the origin serves another version of a file now; programs that read it must open it again",
        metadata: ["inode": "\(inode)"])
      live.becameStale(inode)
    case .play(let inode):
      guard live.version(of: inode)?.filler.bufferState == .buffered else { break }
      live.played(inode)
      workers.ahead?.played(inode, in: live)
    case .forget(let inode): live.forgot(inode)
    case .grow(let inode):
      live.grows(inode)
      keeper.grows(inode)
    case .judgeGrowth(let inode):
      guard let filler = live.version(of: inode)?.filler, let reached = filler.growth?.reached,
        let most = keeper.judgeGrowth(of: inode, reached: reached)
      else { break }
      filler.giveUpGrowth(after: most)
    case .retryFeed: refresher.networkIsBack()
    case .noteFailure(let inode): noteFailure(of: inode)
    case .noteWrong(let blocks, let read, let inode):
      guard let entry = live.entry(inode: inode) else { break }
      let bytes = BlockLayout(length: entry.known?.length ?? .max).bytes(of: blocks)
      live.failures.wasWrong(bytes, read: read, of: entry.number, named: entry.name)
    case .endFailure(let inode):
      if let number = live.entry(inode: inode)?.number { live.failures.end(of: number) }
    case .renew(let inode): if let version = live.version(of: inode) { renew(version) }
    case .flush(let version): chores.add { [self] in flush(version) }
    case .flushOpen(let inode):
      if let version = live.version(of: inode) { chores.add { [self] in flush(version) } }
    case .findSizes:
      needs.prober?.follow(
        SizeProber.Member(
          live: live, sidecars: workers.sidecars, typed: workers.choice.typed))
    case .settle(let version): settle(version)
    }
  }

  private func notify(_ notice: FeedState.Notice) {
    let kernel = world.kernel
    let titles = space.node(ReservedInode.titles)
    let marked = [ReservedInode.news, ReservedInode.started].map(space.node)
    switch notice {
    case .name(let name): kernel.nameChanged(name, in: space.root)
    case .title(let name): kernel.nameChanged(name, in: titles)
    case .listing:
      kernel.attributesChanged(of: space.root)
      for folder in [titles] + marked { kernel.attributesChanged(of: folder) }
    case .marks:
      for folder in marked { kernel.attributesChanged(of: folder) }
    case .attributes(let inode): kernel.attributesChanged(of: space.node(inode))
    case .contents(let inode): kernel.contentsChanged(of: space.node(inode))
    }
  }

  private func take(_ news: OriginNews, of inode: UInt64) {
    switch news {
    case .head(let news): if live.take(news, of: inode) { saver.changed() }
    case .untagged(let origin, let date):
      log.info(
        "the ETags of an origin are ignored for a file, since they changed and its bytes did not",
        metadata: ["inode": "\(inode)", "at": "\(origin)"])
      live.ignoreTags(at: origin, date, of: inode)
    case .facts(let facts): live.learn(facts, of: inode)
    case .subtitles(let texts): live.learn(texts, of: inode)
    case .isBroadcast: chores.add { [live] in live.foundBroadcast(inode) }
    }
  }

  private func complete(_ inode: UInt64) {
    live.completed(inode)
    // The last reader might have closed the version by now. Then its file is already flushed.
    if let version = live.version(of: inode) { settle(version) } else { live.reconsider(inode) }
  }

  private func noteFailure(of inode: UInt64) {
    guard let version = live.version(of: inode), let name = live.entry(inode: inode)?.name else {
      return
    }
    let origin = version.origin
    if origin.isHopeless { keeper.refused(version.number) }
    live.failures.note(
      origin.trouble ?? "no bytes arrived in time", of: version.number, named: name,
      isHopeless: origin.isHopeless,
      until: origin.postponedUntil ?? live.failures.end(ofRefusal: origin.sources))
  }

  /// Prepares a complete version for passthrough, if the kernel supports it. The next open then
  /// uses passthrough.
  private func settle(_ version: EntryVersion) {
    guard world.kernel.passesThrough, let file = version.file else { return }
    let tell: @Sendable () -> Void = { [live] in live.becameDurable(version) }
    // If the file is already durable, only the kernel must be told.
    if file.isDurable { tell() } else { passthrough.add(file, then: tell) }
  }

  /// Looks for another address after a refusal. The resolver or the feed can have a new address, or
  /// the entry can have another candidate.
  private func renew(_ version: EntryVersion) {
    let (origin, number) = (version.origin, version.number)
    let refused = origin.url
    let hasWorked = origin.willBeRenewed()
    // The last reader can close the version before the answer comes.
    world.tasks.start { [refresher, weak filler = version.filler] in
      if origin.isPage {
        // If the address is surely gone, only the site's budget limits how often the page is asked.
        // Otherwise `mayRenew` limits this too, because the address can still be good.
        let mayAsk = origin.isSurelyGone || refresher.mayRenew(number)
        let isFound = mayAsk ? await origin.resolveAnew() : false
        filler?.renewed(changed: isFound)
        return
      }
      await refresher.renew(number, hasWorked: hasWorked)
      filler?.renewed(changed: origin.url != refused || origin.takeNext())
    }
  }

  /// Closes the cache file of a version that is not open any more. The version itself is released
  /// when its last fetch has ended (`.quiet`). The fetch is not cancelled, because that would close
  /// its connection.
  private func flush(_ version: EntryVersion) {
    if version.filler.snapshot.isPlayedToEnd { version.file?.wasPlayedToItsEnd() }
    live.maker.lines.note(version.filler.line, to: version.origin.url)
    do {
      try version.file?.close()
    } catch {
      log.warning("cached bytes could not be written to the disk", metadata: ["why": "\(error)"])
    }
    guard !version.filler.isFetching else { return }
    preloader.closed(version, in: live)
    live.forget(version)
    keeper.review()
  }
}
