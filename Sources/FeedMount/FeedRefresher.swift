import Feeds
import HTTP
import NIOConcurrencyHelpers

/// Keeps the catalog in step with the feed.
///
/// One request for the page at a time, whoever asks; conditional, so that a page without news costs
/// nothing. Safe from any thread; `end` cancels the task that it owns.
final class FeedRefresher: Sendable {
  /// What the last attempt came to.
  struct Report: Sendable {
    /// Why it failed, in a sentence; nil if it did not.
    var error: String?
    var failures = 0
  }

  private struct State {
    var report = Report()
    var running: Task<Bool, Never>?
    var loop: Task<Void, Never>?
    var lastAttempt: ContinuousClock.Instant?
  }

  /// A page that was asked for this short a time ago is not asked again because an address expired.
  private static let shortestRenewal: Duration = .seconds(5)

  /// Of the feed, with all it takes to get it.
  let url: String
  private let client: HTTPClient
  private let live: LiveCatalog
  private let schedule: RefreshSchedule
  private let now: @Sendable () -> Int
  private let note: @Sendable (String?) -> Void
  private let state = NIOLockedValueBox(State())

  /// - Parameters:
  ///   - url: of the feed, with all it takes to get it.
  ///   - now: seconds since 1970.
  ///   - note: told of each attempt, with the reason if it failed.
  init(
    _ url: String, client: HTTPClient, live: LiveCatalog, schedule: RefreshSchedule,
    now: @escaping @Sendable () -> Int, note: @escaping @Sendable (String?) -> Void
  ) {
    self.url = url
    self.client = client
    self.live = live
    self.schedule = schedule
    self.now = now
    self.note = note
  }

  var report: Report {
    state.withLockedValue { $0.report }
  }

  /// Refreshes at once and then as the schedule says, until `end`.
  func begin(atOnce: Bool) {
    let loop = Task { [self] in
      if atOnce { _ = await refresh() }
      while !Task.isCancelled {
        guard (try? await Task.sleep(for: interval)) != nil else { return }
        _ = await refresh()
      }
    }
    state.withLockedValue { $0.loop = loop }
  }

  func end() {
    state.withLockedValue { state in
      state.loop?.cancel()
      state.running?.cancel()
    }
  }

  /// Reads the page unless that was just done: an address of it may have expired.
  func renew() async {
    let isFresh = state.withLockedValue { state in
      guard state.running == nil, let last = state.lastAttempt else { return false }
      return last.duration(to: .now) < Self.shortestRenewal
    }
    if !isFresh { _ = await refresh() }
  }

  /// Reads the page, together with whoever else asks meanwhile; false if that failed.
  func refresh() async -> Bool {
    let task = state.withLockedValue { state in
      if let running = state.running { return running }
      let task = Task { await self.readPage() }
      state.running = task
      state.lastAttempt = .now
      return task
    }
    return await task.value
  }

  // MARK: Private

  private var interval: Duration {
    let page = live.catalog.page
    let failures = report.failures
    let jitter = Double.random(in: 0...1)
    guard failures > 0 else { return schedule.wait(after: page, jitter: jitter) }
    return schedule.wait(afterFailures: failures, of: page, retryAfter: nil, jitter: jitter)
  }

  private func readPage() async -> Bool {
    let problem: String?
    do {
      problem = try await FeedPage.read(url, into: live, by: client, now: now)
    } catch {
      problem = error.description
    }
    state.withLockedValue { state in
      state.running = nil
      state.report.error = problem
      state.report.failures = problem == nil ? 0 : state.report.failures + 1
    }
    note(problem)
    return problem == nil
  }
}
