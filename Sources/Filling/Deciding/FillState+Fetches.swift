import Blocks

/// The fetches and the waits that `FillState` decides about.
extension FillState {
  /// A fetch that is under way.
  struct Fetch: Sendable {
    /// The requested range. Once the answer has begun, the range of the answer.
    var bytes: ByteRange
    /// The offset after the last byte that has come.
    var position: Int
    /// The number of bytes that came and were not cached before.
    var brought = 0
    /// The offset of the first of these bytes; nil if none came.
    var fresh: Int?
    /// The number of bytes that were compared with suspect ones, and agree.
    var settled = 0
    /// The rate at which its bytes come.
    var pace = Throughput()
    /// The time at which its last bytes came; nil if none came.
    var came: Duration?
    /// True if the fetch only compares suspect bytes.
    var isCheck = false
    /// The former end of `bytes`, if they were cut because other fetches bring what follows;
    /// otherwise nil. The fetch is cancelled when it has come to the cut.
    var uncutEnd: Int?
    var urgency: Urgency
    /// The time of the request.
    let asked: Duration
    /// The time at which the head of the answer came; nil before that.
    var begun: Duration?

    var began: Bool { begun != nil }

    /// The bytes that are still to come.
    var rest: ByteRange { position..<max(position, bytes.upperBound) }
  }

  /// A read or an open that waits.
  struct Wait: Sendable {
    /// The bytes to wait for; nil if this is an open that waits until the length is proved.
    var bytes: ByteRange?
    var deadline: Duration
    /// The number of bytes, counted from the start of `bytes`, that the fetch for this wait may
    /// bring. A longer read gets a larger fetch.
    var extent = 0
    /// True if the reader had already read on past its first fetch.
    var readsOn = false
    /// True if the reader sought to these bytes.
    var isSeek = false
    /// The reader; nil if the wait is an open.
    var reader: HandleID?
  }
}
