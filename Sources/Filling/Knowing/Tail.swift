import Blocks

/// The fetch of the end of a film, which runs at the same time as that of its head.
struct Tail: Sendable {
  /// A request for the end whose answer the origin holds back, because no answer has proved the
  /// version yet.
  struct Unproved: Equatable, Sendable {
    /// The number of bytes that were requested.
    let count: Int
    /// The time of the request.
    let asked: Duration
  }

  /// The fetch of the end; nil if there was none. There is one at most.
  private(set) var fetch: FetchID?
  /// The request whose answer the origin holds back; nil if there is none. Until it is settled, it
  /// is not among `FillState.fetches`.
  private(set) var unproved: Unproved?
  /// True from the request on, until the head shows that the index is elsewhere, or the film has no
  /// reader any more.
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

  /// Notes that the origin no longer holds the answer back. Returns its request; nil if there is
  /// none.
  mutating func settle() -> Unproved? {
    defer { unproved = nil }
    return unproved
  }

  mutating func giveUp() {
    isWanted = false
  }

  /// Returns whether `fetch` is that of the end, and is still wanted.
  func isWanted(_ fetch: FetchID) -> Bool {
    isWanted && fetch == self.fetch
  }
}
