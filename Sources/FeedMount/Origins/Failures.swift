import Logging
import NIOConcurrencyHelpers

/// The last failure of each file of a feed, and the addresses that can never do. They are
/// remembered for longer than the files' versions live.
///
/// Safe from any thread; its lock is a leaf.
final class Failures: Sendable {
  struct Failure: Hashable, Sendable {
    let what: String
    /// Seconds since 1970.
    let at: Int
    /// The time until which nothing is asked because of it; nil: the next read asks.
    let until: Int?
    /// Whether another request at once would be of no use.
    let isHopeless: Bool
  }

  fileprivate struct State {
    var files: [Int: Failure] = [:]
    /// Failures of files that were read with wrong bytes; these stay.
    var wrong: [Int: Failure] = [:]
    /// The log's last words about a file, and their time.
    var told: [Int: (what: String, at: Int)] = [:]
    var refused: [String: (reason: String, until: Int)] = [:]
  }

  /// Seconds for which a refused address is not asked again.
  static let memory = 600
  /// Seconds until the log says the same of a file once more.
  private static let silence = 60
  /// The most addresses at once: feeds of strangers may have any number.
  private static let most = 4096

  private let now: @Sendable () -> Int
  private let log: Logger
  private let state = NIOLockedValueBox(State())

  /// - Parameter now: returns the seconds since 1970.
  init(now: @escaping @Sendable () -> Int, _ log: Logger) {
    self.now = now
    self.log = log
  }

  // MARK: Addresses

  /// Notes that no answer of `url` can ever be used.
  func refuse(_ url: String, _ reason: String) {
    let now = now()
    state.withLockedValue { state in
      if state.refused.count >= Self.most { state.refused = [:] }
      state.refused[url] = (reason, now + Self.memory)
    }
  }

  /// Returns the reason why `url` is not asked now; nil: it may be asked.
  func refusal(of url: String) -> String? {
    let now = now()
    return state.withLockedValue { $0.holds(url, at: now) ? $0.refused[url]?.reason : nil }
  }

  /// The addresses that are not asked now.
  var refusedAddresses: Set<String> {
    let now = now()
    return state.withLockedValue { state in
      guard !state.refused.isEmpty else { return [] }
      return Set(state.refused.keys.filter { state.holds($0, at: now) })
    }
  }

  /// Returns the time when the first of `urls` may be asked again, in seconds since 1970; nil: one
  /// of them may be asked now.
  func end(ofRefusal urls: [String]) -> Int? {
    let now = now()
    return state.withLockedValue { state in
      guard urls.allSatisfy({ state.holds($0, at: now) }) else { return nil }
      return urls.compactMap { state.refused[$0]?.until }.min()
    }
  }

  // MARK: Files

  /// Notes that the file with this number could not be read, and that its reader got an error.
  func note(_ what: String, of number: Int, named name: String, isHopeless: Bool, until: Int?) {
    let now = now()
    let isNews = state.withLockedValue { state in
      state.files[number] = Failure(what: what, at: now, until: until, isHopeless: isHopeless)
      if let told = state.told[number], told.what == what, now - told.at < Self.silence {
        return false
      }
      state.told[number] = (what, now)
      return true
    }
    guard isNews else { return }
    log.warning(
      "a file does not come",
      metadata: [
        "file": "\(name)", "why": "\(what)",
        "next": "\(until.map { "in \(max(0, $0 - now)) s" } ?? "when it is read")",
      ])
  }

  func last(of number: Int) -> Failure? {
    state.withLockedValue { $0.files[number] ?? $0.wrong[number] }
  }

  /// Notes that `bytes` of the file were those of another place, and are fetched again: an answer
  /// broke off, and had gone on at another place before. `read` was given to readers.
  func wasWrong(_ bytes: Range<Int>, read: [Range<Int>], of number: Int, named name: String) {
    let places = read.map { "\($0.lowerBound)-\($0.upperBound - 1)" }.joined(separator: ", ")
    let what =
      "an answer broke off and was wrong: bytes \(bytes.lowerBound)-\(bytes.upperBound - 1) are"
      + " fetched again, of which \(places.isEmpty ? "none" : places) may have been read"
    let now = now()
    if !read.isEmpty {
      state.withLockedValue {
        $0.wrong[number] = Failure(what: what, at: now, until: nil, isHopeless: false)
      }
    }
    log.warning("found wrong bytes", metadata: ["file": "\(name)", "what": "\(what)"])
  }

  /// Forgets the failure of the file: its bytes come again.
  func end(of number: Int) {
    state.withLockedValue { $0.files[number] = nil }
  }

  /// Forgets the failure of the file and the refusals of `urls`: the user wants another try.
  func forget(_ number: Int, at urls: [String]) {
    state.withLockedValue { state in
      state.files[number] = nil
      for url in urls { state.refused[url] = nil }
    }
  }
}

extension Failures.State {
  /// Whether a refusal of `url` holds. After the clock was set back it holds for `memory` at most.
  fileprivate func holds(_ url: String, at now: Int) -> Bool {
    guard let until = refused[url]?.until else { return false }
    return until > now && until <= now + Failures.memory
  }
}
