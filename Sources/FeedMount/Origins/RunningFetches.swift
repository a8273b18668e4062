import HTTP
import Streaming

/// The fetches of one version that are under way, and where each of them is.
struct RunningFetches {
  /// Fetches that were started, and have neither ended nor been cancelled.
  private var wanted: Set<FetchID> = []
  private var transfers: [FetchID: TransferID] = [:]
  /// Fetches that ended before `start` returned the id of their transfer.
  private var endedEarly: Set<FetchID> = []
  /// Fetches whose address is being found.
  private var resolving: [FetchID: (sink: any FetchSink, urgency: Urgency)] = [:]

  mutating func start(_ fetch: FetchID) {
    wanted.insert(fetch)
  }

  func isWanted(_ fetch: FetchID) -> Bool {
    wanted.contains(fetch)
  }

  /// Notes that nothing more comes of `fetch`, or that it was cancelled.
  mutating func end(_ fetch: FetchID) {
    wanted.remove(fetch)
  }

  // MARK: Transfers

  subscript(fetch: FetchID) -> TransferID? {
    transfers[fetch]
  }

  /// Takes the transfer of `fetch`. Returns false if the fetch was cancelled before it had this one.
  mutating func take(_ id: TransferID, of fetch: FetchID) -> Bool {
    guard endedEarly.remove(fetch) == nil else { return true }
    transfers[fetch] = id
    return wanted.contains(fetch)
  }

  /// Notes that the transfer of `fetch` has ended.
  mutating func ended(_ fetch: FetchID) {
    if transfers.removeValue(forKey: fetch) == nil { endedEarly.insert(fetch) }
  }

  // MARK: Searches for an address

  mutating func search(_ fetch: FetchID, _ urgency: Urgency, for sink: any FetchSink) {
    resolving[fetch] = (sink, urgency)
  }

  mutating func promote(_ fetch: FetchID) {
    resolving[fetch]?.urgency = .demand
  }

  /// Ends the search of an address for `fetch`. Returns nil if it has ended already.
  mutating func endSearch(of fetch: FetchID) -> (sink: any FetchSink, urgency: Urgency)? {
    resolving.removeValue(forKey: fetch)
  }
}
