import Blocks

/// The fetches and the waits that `FillState` decides about.
extension FillState {
  /// A fetch that is under way.
  struct Fetch: Sendable {
    /// The range that was asked for. Once the answer has begun, its range.
    var bytes: ByteRange
    /// The offset after the last byte that has come.
    var position: Int
    /// The number of new bytes that came.
    var brought = 0
    /// The offset of the first new byte.
    var fresh: Int?
    /// Bytes that agreed with those of a broken answer.
    var settled = 0
    /// The rate at which its bytes come.
    var pace = Throughput()
    /// The time at which its last bytes came.
    var came: Duration?
    /// True if the fetch only compares suspect bytes.
    var isCheck = false
    /// The end of `bytes` before they were cut, because other fetches bring what follows. The fetch is
    /// cancelled when it has come to the cut. Nil if it was not cut.
    var uncutEnd: Int?
    var urgency: Urgency
    /// The time at which the fetch was asked for.
    let asked: Duration
    /// The time at which the head of the answer came.
    var begun: Duration?

    var began: Bool { begun != nil }

    var rest: ByteRange { position..<max(position, bytes.upperBound) }
  }

  /// A read or an open that waits.
  struct Wait: Sendable {
    /// The bytes to wait for; nil if it waits for the proof of the length.
    var bytes: ByteRange?
    var deadline: Duration
    /// The size of the fetch that starts for this wait, in bytes. A longer read gets a larger
    /// fetch.
    var extent = 0
    /// True if the reader has read on before.
    var readsOn = false
    /// True if the reader has sought to these bytes.
    var isSeek = false
    /// The reader; nil if the wait is an open.
    var reader: HandleID?
  }
}
