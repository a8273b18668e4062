import Logging
import Locks

/// The last failure of each file of a feed, and the addresses that are not asked for a while. Both
/// are remembered even when no version of the file is open.
///
/// Safe from any thread. Takes no other lock while it holds its own.
final class Failures: Sendable {
  struct Failure: Hashable, Sendable {
    let what: String
    /// Seconds since 1970.
    let at: Int
    /// The time until which this failure prevents requests, in seconds since 1970; nil if the next
    /// read asks again.
    let until: Int?
    /// True if another request right now would be of no use.
    let isHopeless: Bool
  }

  fileprivate struct State {
    var files: [Int: Failure] = [:]
    /// Failures of files from which a reader got wrong bytes. These are never forgotten.
    var wrong: [Int: Failure] = [:]
    /// The last log message about a file, and its time.
    var told: [Int: (line: LastWords, at: Int)] = [:]
    var refused: [String: (reason: String, until: Int)] = [:]
  }

  /// Seconds until the same message about a file is logged again.
  private static let silence = 60
  /// The largest number of remembered addresses, because a feed can name any number. When it is
  /// reached, all of them are forgotten.
  private static let maxAddresses = 4096

  /// Returns the seconds since 1970.
  let now: @Sendable () -> Int
  private let log: Logger
  private let state = Locked(State())

  /// - Parameter now: returns the seconds since 1970.
  init(now: @escaping @Sendable () -> Int, _ log: Logger) {
    self.now = now
    self.log = log
  }

  // MARK: Addresses

  /// Notes that an address is not to be asked for a while, and the reason.
  func take(_ refusal: Refusal) {
    let now = now()
    state.withLock { state in
      if state.refused.count >= Self.maxAddresses { state.refused = [:] }
      state.refused[refusal.url] = (refusal.reason, now + refusal.time)
    }
  }

  /// Returns the reason why `url` must not be asked now; nil if there is none.
  func refusal(of url: String) -> String? {
    let now = now()
    return state.withLock { $0.holds(url, at: now) ? $0.refused[url]?.reason : nil }
  }

  /// The reasons why addresses are not asked now, by address.
  var refusals: [String: String] {
    let now = now()
    return state.withLock { state in
      guard !state.refused.isEmpty else { return [:] }
      return state.refused.filter { state.holds($0.key, at: now) }.mapValues(\.reason)
    }
  }

  /// Returns the time from which the first of `urls` can be asked again, in seconds since 1970.
  /// Returns nil if one of them can be asked now.
  func end(ofRefusal urls: [String]) -> Int? {
    let now = now()
    return state.withLock { state in
      guard urls.allSatisfy({ state.holds($0, at: now) }) else { return nil }
      return urls.compactMap { state.refused[$0]?.until }.min()
    }
  }

  // MARK: Files

  /// Notes that the file with this number could not be read, and that its reader got an error.
  func note(_ what: String, of number: Int, named name: String, isHopeless: Bool, until: Int?) {
    let now = now()
    let isNews = state.withLock { state in
      state.files[number] = Failure(what: what, at: now, until: until, isHopeless: isHopeless)
      var (line, at) = state.told[number] ?? (LastWords(), now)
      guard line.take(what) || now - at >= Self.silence else { return false }
      at = now
      state.told[number] = (line, at)
      return true
    }
    guard isNews else { return }
    log.warning(
      "a file could not be read",
      metadata: [
        "file": "\(name)", "why": "\(what)",
        "next": "\(until.map { "in \(max(0, $0 - now)) s" } ?? "when it is read")",
      ])
  }

  func last(of number: Int) -> Failure? {
    state.withLock { $0.files[number] ?? $0.wrong[number] }
  }

  /// Notes that `bytes` of the file came from a wrong place, and are fetched again. The answer that
  /// brought them broke off. Readers might have got the ranges in `read`.
  func wasWrong(_ bytes: Range<Int>, read: [Range<Int>], of number: Int, named name: String) {
    let places = read.map { "\($0.lowerBound)-\($0.upperBound - 1)" }.joined(separator: ", ")
    let what =
      "an answer that broke off had wrong bytes: bytes \(bytes.lowerBound)-\(bytes.upperBound - 1) are"
      + " fetched again; programs may have read of them: \(places.isEmpty ? "none" : places)"
    let now = now()
    if !read.isEmpty {
      state.withLock {
        $0.wrong[number] = Failure(what: what, at: now, until: nil, isHopeless: false)
      }
    }
    log.warning("found wrong bytes", metadata: ["file": "\(name)", "what": "\(what)"])
  }

  /// Forgets the failure of the file, because its bytes arrive again.
  func end(of number: Int) {
    state.withLock { $0.files[number] = nil }
  }

  /// Forgets the failure of the file and the refusals of `urls`, because the user wants another
  /// try.
  func forget(_ number: Int, at urls: [String]) {
    state.withLock { state in
      state.files[number] = nil
      for url in urls { state.refused[url] = nil }
    }
  }
}

extension Failures.State {
  /// Returns whether `url` is still refused. A refusal that would last longer than `Refusal.memory`
  /// seconds from now is void, because the clock was set back.
  fileprivate func holds(_ url: String, at now: Int) -> Bool {
    guard let until = refused[url]?.until else { return false }
    return until > now && until <= now + Refusal.memory
  }
}
