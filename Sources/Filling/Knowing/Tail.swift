import Blocks

/// The fetch of the last bytes of a media file, which runs at the same time as the fetch of its
/// head.
struct Tail: Sendable {
  /// A request for the last bytes of a file. The origin holds the answer back, because no other
  /// answer has proved the version yet.
  struct Unproved: Equatable, Sendable {
    /// The number of bytes that were requested.
    let count: Int
    /// The time of the request.
    let asked: Duration
  }

  /// The fetch of the last bytes; nil if there was none. A file has at most one such fetch.
  private(set) var fetch: FetchID?
  /// The request whose answer the origin holds back; nil if there is none. Until `settle` is
  /// called, its fetch is not among `FillState.fetches`.
  private(set) var unproved: Unproved?
  /// True if the last bytes were requested. Becomes false when the head shows that the container's
  /// index is elsewhere, or when the file has no reader any more.
  private(set) var isWanted = false

  /// Returns the range of the last `count` bytes of a file of `length` bytes.
  static func bytes(_ count: Int, of length: Int) -> ByteRange {
    max(0, length - count)..<length
  }

  /// Notes that `fetch` requests the last bytes of a file whose length is proved.
  mutating func asked(by fetch: FetchID) {
    self.fetch = fetch
    isWanted = true
  }

  /// Notes that `fetch` requests the last `count` bytes of a file whose length is not known yet.
  mutating func asked(by fetch: FetchID, unproved count: Int, at now: Duration) {
    asked(by: fetch)
    unproved = Unproved(count: count, asked: now)
  }

  /// Notes that the origin no longer holds the answer back. Returns the request of that answer; nil
  /// if there is none.
  mutating func settle() -> Unproved? {
    defer { unproved = nil }
    return unproved
  }

  mutating func giveUp() {
    isWanted = false
  }

  /// Returns whether `fetch` requests the last bytes, and these are still wanted.
  func isWanted(_ fetch: FetchID) -> Bool {
    isWanted && fetch == self.fetch
  }
}
