import Filling
import HTTP

/// The fetches of one version that are under way, each with its transfer, or with the search for
/// its address.
struct RunningFetches {
  /// Fetches that were started, and have neither ended nor been cancelled.
  private var wanted: Set<FetchID> = []
  private var transfers: [FetchID: TransferID] = [:]
  /// Fetches that ended before the client's `start` returned the id of their transfer.
  private var endedEarly: Set<FetchID> = []
  /// Fetches whose address is being found.
  private var resolving: [FetchID: (sink: any FetchSink, urgency: Urgency)] = [:]
  /// The request for the end of the file, until a version is proved.
  private var tail: TailAnswer?
  /// True once a version is proved. A request for the end of the file comes too late then.
  private var isProved = false

  mutating func start(_ fetch: FetchID) {
    wanted.insert(fetch)
  }

  func isWanted(_ fetch: FetchID) -> Bool {
    wanted.contains(fetch)
  }

  /// Notes that `fetch` is over: nothing more is expected of it.
  mutating func end(_ fetch: FetchID) {
    wanted.remove(fetch)
  }

  mutating func cancel(_ fetch: FetchID) {
    end(fetch)
    if tail?.fetch == fetch { tail = nil }
  }

  // MARK: Transfers

  subscript(fetch: FetchID) -> TransferID? {
    transfers[fetch]
  }

  /// Remembers the transfer of `fetch`. Returns false if the fetch was cancelled before. The caller
  /// must then cancel the transfer.
  mutating func take(_ id: TransferID, of fetch: FetchID) -> Bool {
    guard endedEarly.remove(fetch) == nil else { return true }
    transfers[fetch] = id
    return wanted.contains(fetch)
  }

  /// Notes that the transfer of `fetch` has ended.
  mutating func ended(_ fetch: FetchID) {
    if transfers.removeValue(forKey: fetch) == nil { endedEarly.insert(fetch) }
  }

  // MARK: The end of the film

  /// Starts the request for the end of the file. Returns false if a version is proved already,
  /// because another thread has been quicker.
  mutating func start(_ tail: TailAnswer) -> Bool {
    guard !isProved else { return false }
    self.tail = tail
    start(tail.fetch)
    return true
  }

  /// Notes that a version is proved. Returns the request for the end of the file; nil if none was
  /// made, or if it was cancelled.
  mutating func settleTail() -> TailAnswer? {
    defer { (tail, isProved) = (nil, true) }
    return tail
  }

  // MARK: Searches for an address

  mutating func search(_ fetch: FetchID, _ urgency: Urgency, for sink: any FetchSink) {
    resolving[fetch] = (sink, urgency)
  }

  mutating func promote(_ fetch: FetchID) {
    resolving[fetch]?.urgency = .demand
  }

  /// Ends the search for the address of `fetch`. Returns nil if it has ended already.
  mutating func endSearch(of fetch: FetchID) -> (sink: any FetchSink, urgency: Urgency)? {
    resolving.removeValue(forKey: fetch)
  }
}
