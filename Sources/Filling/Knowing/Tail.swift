import Blocks

/// The end of a film, which is asked for beside its head.
struct Tail: Sendable {
  /// An end that the origin holds back, because no answer has proved the version.
  struct Unproved: Equatable, Sendable {
    let count: Int
    let asked: Duration
  }

  /// The fetch of the end; nil if it was not asked for.
  private(set) var fetch: FetchID?
  /// Nil unless the origin holds the end back. It is no fetch among the others then.
  private(set) var unproved: Unproved?
  /// False once the head has shown that the index is elsewhere, or the film has no reader.
  private(set) var isWanted = false

  /// Returns the last `count` bytes of a film.
  static func bytes(_ count: Int, of length: Int) -> ByteRange {
    max(0, length - count)..<length
  }

  /// Notes that `fetch` asks for the end of a film whose length is proved.
  mutating func asked(by fetch: FetchID) {
    self.fetch = fetch
    isWanted = true
  }

  /// Notes that `fetch` asks for the last `count` bytes, whatever the length is.
  mutating func asked(by fetch: FetchID, unproved count: Int, at now: Duration) {
    asked(by: fetch)
    unproved = Unproved(count: count, asked: now)
  }

  /// Returns the end that was held back, and is so no longer; nil if none was.
  mutating func settle() -> Unproved? {
    defer { unproved = nil }
    return unproved
  }

  mutating func giveUp() {
    isWanted = false
  }

  /// True if `fetch` is that of the end, and the index may be there.
  func isWanted(_ fetch: FetchID) -> Bool {
    isWanted && fetch == self.fetch
  }
}
