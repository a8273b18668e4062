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
    /// The offset of the first byte that came and was not cached before; nil if there was none.
    var fresh: Int?
    /// The number of bytes that were compared with suspect ones, and agree.
    var settled = 0
    /// The rate at which the bytes of this fetch come.
    var pace = Throughput()
    /// The time at which the last bytes of this fetch came; nil if none came.
    var came: Duration?
    /// True if the fetch only compares suspect bytes.
    var isCheck = false
    /// The end of `bytes` before they were cut; nil if they were not. Other fetches bring the bytes
    /// behind the cut. This fetch is cancelled when it has come to the cut.
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
    /// The fetch for this wait can bring this many bytes, counted from the start of `bytes`. If
    /// `bytes` is longer, the fetch brings all of `bytes`.
    var extent = 0
    /// True if the reader had read on past its first fetch before this read.
    var readsOn = false
    /// True if the reader sought to these bytes.
    var isSeek = false
    /// The reader; nil if the wait is an open.
    var reader: HandleID?
  }
}
