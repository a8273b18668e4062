import Blocks
import Filling
import HTTP
import Locks
import World

/// Asks for the end of a file whose length is not proved.
extension HTTPOrigin {
  func startTail(_ fetch: FetchID, of count: Int, for sink: any FetchSink) {
    let refused = needs.failures.refusals
    let (tail, isInTime, isAsked) = state.withLock { state in
      let tail = TailAnswer(fetch, of: self, at: state.choice.url, for: sink)
      return (tail, state.fetches.start(tail), state.choice.mayAskForTail(besides: refused))
    }
    guard isInTime else { return sink.ended(fetch, .failed) }
    guard isAsked else {
      state.withLock { $0.fetches.end(fetch) }
      return tail.endUnasked()
    }
    var request = RangeRequest(
      url: tail.url, range: .suffix(count), expected: nil, priority: .ahead)
    request.feed = needs.feed
    request.failsFast = true
    request.asksOnce = true
    let started = needs.client.start(request, sink: tail)
    let isWanted = state.withLock { $0.fetches.take(started, of: fetch) }
    if !isWanted { needs.client.cancel(started) }
  }

  func settleTail(as version: Representation) {
    let (tail, url) = state.withLock { ($0.fetches.settleTail(), $0.choice.url) }
    tail?.settle(as: tail?.url == url ? version : nil)
  }

  /// Notes that the transfer of `fetch`, a request for the end of the file, is over.
  func tailEnded(_ fetch: FetchID) {
    state.withLock { state in
      state.fetches.ended(fetch)
      state.fetches.end(fetch)
    }
  }
}
