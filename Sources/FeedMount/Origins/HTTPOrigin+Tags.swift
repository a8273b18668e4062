import Blocks
import Filling
import HTTP
import Locks
import World

/// Distinguishes versions by their bytes, if entity tags do not distinguish them.
extension HTTPOrigin {
  func ignoreTags() {
    let news = state.withLock { $0.choice.ignoreTags() }
    if let news { tell(news) }
  }

  func sample(
    _ comparison: FetchID, of places: [ByteRange], done: @escaping @Sendable (Sample) -> Void
  ) {
    guard let expected = choice.proof.expected else {
      return done(.ended(.changed))
    }
    let isAgain = state.withLock { $0.sampledInVain }
    let sampling = Sampling(of: self, comparison, expected, places, isAgain: isAgain, done)
    state.withLock { $0.samplings[comparison] = sampling }
    sampling.askNext()
  }

  /// Ends the sampling called `comparison`, if there is one.
  func cancelSampling(_ comparison: FetchID) {
    state.withLock { $0.samplings.removeValue(forKey: comparison) }?.cancel()
  }

  /// Notes that a sampling has ended.
  ///
  /// - Parameter inVain: true if all its answers had the known tag.
  func sampled(_ comparison: FetchID, inVain: Bool) {
    state.withLock { state in
      state.samplings[comparison] = nil
      state.sampledInVain = inVain
    }
  }

  /// Starts a request for `bytes` at the present address, which accepts an answer with any entity
  /// tag. Returns the transfer and the address.
  func startSample(
    of bytes: ByteRange, _ expected: Representation, for sink: any RangeSink
  ) -> (TransferID, String) {
    let choice = choice
    let (url, headers) = choice.place
    var request = RangeRequest(url: url, range: .bytes(bytes), expected: expected)
    request.feed = needs.feed
    request.headers = headers
    request.ignoresTags = true
    request.date = choice.proof.marks.date
    return (needs.client.start(request, sink: sink), url)
  }

  /// Stops the transfer of a sample.
  func stopSample(_ transfer: TransferID) {
    needs.client.cancel(transfer)
  }

  /// Notes how a sample at `url` has ended. Returns nil if the sample must be asked for again, at
  /// another address.
  func sampleEnded(_ end: TransferEnd, at url: String) -> FetchEnd? {
    state.withLock { $0.choice.ended(sample: end, at: url) }
  }
}
