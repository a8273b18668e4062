import Addresses
import Blocks
import HTTP
import NIOConcurrencyHelpers
import Streaming

/// Tells versions apart where tags do not.
extension HTTPOrigin {
  /// The facts that tell the versions of one file apart, besides the validator.
  struct Marks: Hashable, Sendable {
    /// The origin at which the tags of the file do not count; nil if there is none.
    var untaggedAt: String?
    /// The strong Last-Modified of the version; nil if none is known.
    var date: String?
    /// A weak one, as an answer has stated it first.
    var stated: StatedDate?

    /// Puts the facts into a request, which may then not name a tag.
    func mark(_ request: inout RangeRequest) {
      request.date = date
      request.ignoresTags = ignoresTags(at: request.url)
    }

    func ignoresTags(at url: String) -> Bool {
      untaggedAt != nil && untaggedAt == HTTPOrigin.name(of: url)
    }

    /// Takes the date of an answer of this version. A weak date is strong when a later answer repeats
    /// it. Returns the answer with the date that is known now, or with none.
    mutating func take(_ answer: AcceptedAnswer) -> String? {
      guard date == nil, let stated = answer.date else { return date }
      if !stated.isWeak || self.stated.map(stated.confirms) ?? false {
        date = stated.text
      } else if self.stated?.text != stated.text {
        self.stated = stated
      }
      return date
    }
  }

  /// Returns scheme, host and port of `url`; nil if it is no address.
  static func name(of url: String) -> String? {
    (try? WebAddress(parsing: url))?.origin.description
  }

  /// The facts that tell the versions apart now.
  var marks: Marks { state.withLockedValue { $0.marks } }

  func ignoreTags() {
    let (url, _) = place
    guard let name = Self.name(of: url) else { return }
    let date = state.withLockedValue { state in
      state.marks.untaggedAt = name
      return state.marks.date
    }
    untagged(name, date)
  }

  func sample(
    _ comparison: FetchID, of places: [ByteRange], done: @escaping @Sendable (Sample) -> Void
  ) {
    guard let expected = state.withLockedValue({ $0.expected }) else {
      return done(.ended(.changed))
    }
    let isAgain = state.withLockedValue { $0.sampledInVain }
    let sampling = Sampling(of: self, comparison, expected, places, isAgain: isAgain, done)
    state.withLockedValue { $0.samplings[comparison] = sampling }
    sampling.askNext()
  }

  /// Ends the sampling called `comparison`, if there is one.
  func cancelSampling(_ comparison: FetchID) {
    state.withLockedValue { $0.samplings.removeValue(forKey: comparison) }?.cancel()
  }

  /// Notes that a sampling has ended.
  ///
  /// - Parameter inVain: true if all its answers had the known tag.
  func sampled(_ comparison: FetchID, inVain: Bool) {
    state.withLockedValue { state in
      state.samplings[comparison] = nil
      state.sampledInVain = inVain
    }
  }

  /// Starts a request for `bytes` at the present address, whatever tag the answer names. Returns the
  /// address too.
  func startSample(
    of bytes: ByteRange, _ expected: Representation, for sink: any RangeSink
  ) -> (TransferID, String) {
    let (url, headers) = place
    var request = RangeRequest(url: url, range: .bytes(bytes), expected: expected)
    request.feed = feed
    request.headers = headers
    request.ignoresTags = true
    request.date = state.withLockedValue { $0.marks.date }
    return (client.start(request, sink: sink), url)
  }

  /// Stops the transfer of a sample.
  func stopSample(_ transfer: TransferID) {
    client.cancel(transfer)
  }

  /// Notes how a sample at `url` has ended. Returns nil if it must be asked for again, at another
  /// address.
  func sampleEnded(_ end: TransferEnd, at url: String) -> FetchEnd? {
    let (now, _) = place
    state.withLockedValue { state in
      if let trouble = end.trouble { state.trouble = trouble }
      state.isSurelyGone = end.isGone
    }
    if end.isGone || end.mayBeGone, now != url { return nil }
    return end.mayBeGone ? .mayBeGone : FetchEnd(end)
  }
}
