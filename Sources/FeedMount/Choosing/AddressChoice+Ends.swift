import FeedReading
import Filling
import HTTP
import StreamFiles
import Streams

/// Judges how fetches have ended.
extension AddressChoice {
  /// The outcome of a fetch.
  struct Ending: Hashable, Sendable {
    /// The end of the fetch. Nil if the fetch must start again, because the answer was declined, or
    /// because there is another address and this one has expired or can never be used.
    var end: FetchEnd?
    /// The address that must not be asked for a while, and the reason; nil if there is none.
    var refusal: Refusal?
    /// The media has turned out to be live.
    var isBroadcast = false
    var leaving = Leaving.nothing
  }

  /// The stream to forget, because it cannot be read at its address any more.
  enum Leaving: Hashable, Sendable {
    case nothing
    /// The stream that was found by this address.
    case one(at: String)
    case any
  }

  /// The address whose answer is judged, and the facts at the time of the answer.
  struct Moment: Sendable {
    let url: String
    /// False if the fetch was cancelled.
    let isWanted: Bool
    /// The reasons why addresses are not asked now.
    let refused: [String: String]
    /// Seconds since 1970.
    let now: Int
  }

  /// Judges how a transfer has ended.
  mutating func ended(_ end: TransferEnd, _ moment: Moment, isDeclined: Bool) -> Ending {
    var ending = Ending()
    if moment.isWanted, becomesStream(end, at: moment.url) { return ending }
    let sign = sign(isGone: end.isGone, mayBeGone: end.mayBeGone, moment)
    let isVerdict = isUnproved && end.isVerdict && sign == nil
    if isVerdict, case .refused(let fault) = end, let trouble = end.trouble {
      ending.refusal = Refusal(url: moment.url, reason: trouble)
      if case .live = fault { ending.isBroadcast = true }
    }
    if let trouble = end.trouble { note(trouble, isHopeless: isVerdict || sign == .gone) }
    renewal.isSurelyGone = end.isGone
    let isElsewhere = isDeclined || leads(elsewhere: sign, isVerdict: isVerdict, moment)
    if isElsewhere, moment.isWanted { return ending }
    guard !proof.isDisproved(by: end) else {
      ending.end = .changed
      return ending
    }
    ending.end = isVerdict ? .blocked : sign ?? FetchEnd(end)
    if isVerdict { beginAnew() }
    return ending
  }

  /// Judges how a fetch of a stream has ended; `trouble` is nil if all its bytes came.
  mutating func ended(_ trouble: PieceError?, _ moment: Moment) -> Ending {
    var ending = Ending()
    guard let trouble else {
      ending.end = .complete
      return ending
    }
    let sign = sign(isGone: trouble.end == .gone, mayBeGone: trouble.mayBeGone, moment)
    let isRefused = trouble.isVerdict && sign == nil
    // If a fragmented file cannot be read as a stream, it is read as it is. Each fetch that was
    // reading it as a stream then starts again, whatever trouble the fetch had.
    if isReadPlainly(moment.url, isRefused ? trouble : nil) {
      ending.leaving = .one(at: moment.url)
      ending.end = moment.isWanted ? nil : .unanswered
      return ending
    }
    let isVerdict = isRefused && isUnproved
    if isVerdict, let words = trouble.words {
      let time = trouble.isBroadcast ? Refusal.liveMemory : Refusal.memory
      ending.refusal = Refusal(url: moment.url, reason: words, time: time)
      ending.isBroadcast = trouble.isBroadcast
    }
    if let words = trouble.words { note(words, isHopeless: isVerdict || sign == .gone) }
    renewal.isSurelyGone = trouble.end == .gone
    let isElsewhere = leads(elsewhere: sign, isVerdict: isVerdict, moment)
    if isVerdict || sign == .gone { ending.leaving = .any }
    if isElsewhere, moment.isWanted { return ending }
    // If the stream was read before, a refusal is no verdict on it: the answer can be a hotel's
    // login page in the place of the playlist. Then the fetch has only failed.
    ending.end = isVerdict ? .blocked : sign ?? (trouble.isVerdict ? .failed : trouble.end)
    if isVerdict { beginAnew() }
    return ending
  }

  /// Judges how a sample has ended. Returns nil if the sample must be asked for again, at another
  /// address.
  mutating func ended(sample end: TransferEnd, at url: String) -> FetchEnd? {
    if let trouble = end.trouble { note(trouble, isHopeless: isHopeless) }
    renewal.isSurelyGone = end.isGone
    if end.isGone || end.mayBeGone, place.url != url { return nil }
    return end.mayBeGone ? .mayBeGone : FetchEnd(end)
  }

  // MARK: Private

  /// Returns `gone` or `mayBeGone` if the refusal is a sign that the address has expired. Returns
  /// nil if the refusal is a verdict on the address, or a passing fault.
  ///
  /// With `mayBeGone`, the answer does not say that the address has expired, but expired addresses
  /// get such answers. It counts as a sign if an earlier answer was accepted, because the address
  /// was good then. Otherwise it counts as a sign only if the address itself states when it
  /// expires, and only until the feed has given a new address. The new address is judged like any
  /// other.
  private func sign(isGone: Bool, mayBeGone: Bool, _ moment: Moment) -> FetchEnd? {
    guard !isGone else { return .gone }
    guard mayBeGone else { return nil }
    guard isUnproved else { return .mayBeGone }
    let isStated = AddressExpiry.isStated(in: moment.url, now: moment.now)
    return !renewal.wasAskedAnew && isStated ? .gone : nil
  }

  /// Returns whether another address is asked at once, because of `sign` or a verdict.
  private mutating func leads(
    elsewhere sign: FetchEnd?, isVerdict: Bool, _ moment: Moment
  ) -> Bool {
    let isOld = !isPage && url != moment.url
    if isVerdict { return leaves(refused: moment.url, besides: moment.refused) }
    switch sign {
    case .gone: return isPage ? leaves(gone: moment.url, besides: moment.refused) : isOld
    case .mayBeGone: return isOld
    default: return false
    }
  }

  /// Notes that `url` can never be used. Returns whether another address is asked at once.
  private mutating func leaves(refused url: String, besides refused: [String: String]) -> Bool {
    isPage
      ? hasFormat(besides: refused, and: url) : self.url != url || takeNext(besides: refused)
  }

  /// Notes that nothing is at the address of a format. Returns whether another format is asked at
  /// once.
  ///
  /// The page is first asked for a newer address of the format. If that address leads nowhere
  /// either, the next format is taken, as long as no format was proved.
  private mutating func leaves(gone url: String, besides refused: [String: String]) -> Bool {
    guard isUnproved, renewal.wasAskedAnew else { return false }
    if hasFormat(besides: refused, and: url) { return true }
    beginAnew()
    return false
  }

  /// Notes that `url` cannot be used. Returns whether the page has another format that can be
  /// asked.
  private mutating func hasFormat(besides refused: [String: String], and url: String) -> Bool {
    candidates.tried(url)
    return formats.offers.contains {
      !candidates.tried.contains($0.url) && refused[$0.url] == nil
    }
  }
}
