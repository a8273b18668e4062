import Blocks
import Control
import Catalog
import FeedReading
import HTTP
import Locks
import World

/// Refreshes the catalog from the feed; `FeedRefresher+Pages` reads the feed's further pages.
///
/// Runs one request to the feed at a time; callers that come during the request share it. Requests
/// are conditional, so that a page without news costs nothing. Safe from any thread. `end` cancels
/// the tasks that this type owns.
final class FeedRefresher: Sendable {
  struct State {
    var report = Report()
    /// The refresh that is under way.
    var running: Task<FeedPage.Failure?, Never>?
    /// The read of a further page that is under way.
    var loading: Task<More, Never>?
    /// The task that refreshes on schedule.
    var loop: Task<Void, Never>?
    /// A retry that is started before the next scheduled refresh.
    var comeback: Task<Void, Never>?
    var lastAttempt: Duration?
    var nextAttempt: Duration?
    var renewals = RenewalRule()
    /// The rule for the web pages of entries.
    var pageRenewals = RenewalRule()
    var hasEnded = false
    var mode = NetworkMode.online
    /// True when the network mode prevented a request.
    var hasMissed = false
    /// True once the feed is mounted. Before that, failures are not logged.
    var hasBegun = false
  }

  /// A feed that was never read gets its first retry after this time at the latest, because a user
  /// waits for it. It is also the shortest time between a failure and a retry that the answer of
  /// another origin triggers.
  static let firstPause: Duration = .seconds(30)

  let page: FeedPage
  let live: LiveCatalog
  /// Called with the new address when the feed has moved.
  let moved: @Sendable (String) -> Void
  private let save: @Sendable () async -> Void
  let world: World
  private let note: @Sendable (String?) -> Void
  let state = Locked(State())

  /// - Parameters:
  ///   - save: saves the catalog, if the disk takes it.
  ///   - note: called after each attempt of a mounted feed, with the reason if the attempt failed.
  init(
    _ page: FeedPage, live: LiveCatalog, in world: World,
    save: @escaping @Sendable () async -> Void,
    moved: @escaping @Sendable (String) -> Void,
    note: @escaping @Sendable (String?) -> Void
  ) {
    self.page = page
    self.live = live
    self.moved = moved
    self.save = save
    self.world = world
    self.note = note
  }

  var report: Report {
    state.withLock { $0.report }
  }

  /// The time until the next scheduled refresh; nil if none is scheduled yet.
  var timeToNextAttempt: Duration? {
    state.withLock { $0.nextAttempt }.map { max(.zero, $0 - tasks.now) }
  }

  /// Refreshes on schedule until `end`. With `atOnce` it also refreshes right away.
  func begin(atOnce: Bool) {
    let loop = tasks.start { [self] in
      if atOnce { _ = await refresh() }
      await readPages()
      while !Task.isCancelled {
        let interval = interval
        let next = tasks.now + interval
        state.withLock { $0.nextAttempt = next }
        guard (try? await tasks.sleep(for: interval)) != nil else { return }
        _ = await refresh()
        await readPages()
      }
    }
    state.withLock { state in
      state.loop = loop
      state.hasBegun = true
    }
  }

  func end() {
    state.withLock { state in
      state.hasEnded = true
      state.loop?.cancel()
      state.comeback?.cancel()
      state.running?.cancel()
      state.loading?.cancel()
    }
  }

  /// Sets the network mode. Only `online` allows requests. A refresh that was missed or cancelled
  /// runs when the mode is `online` again.
  func turn(_ mode: NetworkMode) {
    let isMissed = state.withLock { state in
      state.mode = mode
      guard mode == .online else {
        state.hasMissed = state.hasMissed || state.running != nil
        state.running?.cancel()
        state.loading?.cancel()
        return false
      }
      defer { state.hasMissed = false }
      return state.hasMissed
    }
    if isMissed { tasks.start { [self] in _ = await refresh() } }
  }

  /// Reads the feed, once for all concurrent callers; returns the failure, if any.
  func refresh() async -> FeedPage.Failure? {
    let task = state.withLock { state in
      if let running = state.running { return running }
      let loading = state.loading
      let task = tasks.start { () -> FeedPage.Failure? in
        _ = await loading?.value
        return await self.read()
      }
      state.running = task
      state.lastAttempt = tasks.now
      return task
    }
    return await task.value
  }

  var tasks: Tasks { world.tasks }

  private var interval: Duration {
    let facts = live.catalog.page
    let failures = report.failures
    let jitter = world.chance()
    var schedule = page.choice.schedule
    guard failures > 0 else {
      return schedule.wait(after: facts, now: world.wall.seconds, jitter: jitter)
    }
    if facts.checkedAt == nil { schedule.minWait = min(schedule.minWait, Self.firstPause) }
    return schedule.wait(
      afterFailures: failures, of: facts, retryAfter: report.retryAfter, jitter: jitter)
  }

  private func read() async -> FeedPage.Failure? {
    var problem: String?
    var failure: FeedPage.Failure?
    do throws(FeedPage.Failure) {
      try checkMode()
      page.cookies.empty()
      problem = try await readWindow()
    } catch {
      failure = error
      problem = error.description
    }
    // If a pause or `offline` cancelled the request, the failure says nothing about the feed.
    if failure != nil, let forbidden = forbidden() {
      state.withLock { $0.running = nil }
      return forbidden
    }
    let hasBegun = state.withLock { [problem, failure] state in
      defer { state.running = nil }
      state.report.error = problem
      state.report.retryAfter = failure?.retryAfter
      state.report.failures = failure == nil ? 0 : state.report.failures + 1
      state.report.isUnanswered = failure?.isUnanswered ?? false
      return state.hasBegun
    }
    if hasBegun { note(problem) }
    return failure
  }

  func checkMode() throws(FeedPage.Failure) {
    if let forbidden = forbidden() { throw forbidden }
  }

  /// Returns the failure if the network mode forbids requests, else nil. The forbidden refresh is
  /// marked as missed, and runs when the mode allows it.
  func forbidden() -> FeedPage.Failure? {
    state.withLock { state in
      guard state.mode != .online else { return nil }
      state.hasMissed = true
      return .forbidden(state.mode)
    }
  }

  /// Reads the first page. If any page has changed, reads again all pages that were read before.
  /// Only the feed's current pages can show which entries have left it.
  ///
  /// Returns the reason, as a sentence, if the pages, or the removals that they seem to show, were
  /// ignored; otherwise nil.
  private func readWindow() async throws(FeedPage.Failure) -> String? {
    let chain = live.catalog.chain
    let known = live.catalog.page
    let isReadAlike =
      known.rules == PageFacts.currentRules && known.choice ?? MediaChoice() == page.choice.media
    var first = try await firstPage(unless: isReadAlike ? known : known.unconditional)
    if case .unchanged(let maxAge, _) = first {
      guard await hasChanged(behind: chain) else {
        live.confirmPage(at: world.wall.seconds, maxAge: maxAge)
        live.sift()
        return nil
      }
      first = try await page.first(unless: known.unconditional, at: live.catalog.move.address)
    }
    guard case .page(var window, let facts, let place) = first else { return nil }
    if window.kind == .opml { throw .list(window.feeds) }
    var pages = [PageChain.Page(url: place.url, next: window.next, facts: facts)]
    while let next = chain.following(pages), let answer = try? await page.get(next),
      case .page(let feed, let facts, _) = answer
    {
      window = window.followed(by: feed)
      pages.append(PageChain.Page(url: next, next: feed.next, facts: facts))
    }
    // Entries on unread pages do not count as gone.
    if chain.following(pages) != nil || pages.count < chain.count { window.isPartial = true }
    let news = live.merge(
      window, of: pages, guessing: page.choice.guessesPages, answer: facts, now: world.wall.seconds)
    await publish(news)
    return news.change.ignoredBecause
  }

  /// Tells the kernel of the news, once the disk has the numbers of new entries.
  func publish(_ news: LiveCatalog.News) async {
    if news.waitsForSave { await save() }
    live.publish(news)
  }

  /// Returns whether a further page has changed while the first has not.
  private func hasChanged(behind chain: PageChain) async -> Bool {
    for known in chain.refreshed {
      if case .page? = try? await page.get(known.url, unless: known.facts) { return true }
    }
    return false
  }
}
