import Blocks
import HTTP
import NIOConcurrencyHelpers
import Streaming

/// Asks for the end of a film whose length is not proved.
extension HTTPOrigin {
  func startTail(_ fetch: FetchID, of count: Int, for sink: any FetchSink) {
    let refused = failures.refusedAddresses
    let (tail, isAsked) = state.withLockedValue { state in
      let tail = TailAnswer(fetch, of: self, at: state.url, for: sink)
      state.tail = tail
      state.wanted.insert(fetch)
      let isFile = resolver == nil && !isStream(at: state.url, in: state)
      return (tail, isFile && state.isUnproved && !refused.contains(state.url))
    }
    guard isAsked else { return tail.isNotAsked() }
    var request = RangeRequest(
      url: tail.url, range: .suffix(count), expected: nil, priority: .ahead)
    request.feed = feed
    request.failsFast = true
    request.asksOnce = true
    let started = client.start(request, sink: tail)
    let isWanted = state.withLockedValue { state in
      guard state.endedEarly.remove(fetch) == nil else { return true }
      state.transfers[fetch] = started
      return state.wanted.contains(fetch)
    }
    if !isWanted { client.cancel(started) }
  }

  func settleTail(as version: Representation) {
    let (tail, url) = state.withLockedValue { state in
      defer { state.tail = nil }
      return (state.tail, state.url)
    }
    tail?.settle(as: tail?.url == url ? version : nil)
  }

  /// Notes that the transfer of `fetch`, which is that of an end, has ended.
  func tailEnded(_ fetch: FetchID) {
    state.withLockedValue { state in
      if state.transfers.removeValue(forKey: fetch) == nil { state.endedEarly.insert(fetch) }
      state.wanted.remove(fetch)
    }
  }
}
