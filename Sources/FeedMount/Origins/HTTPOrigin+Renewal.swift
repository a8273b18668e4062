import FeedReading
import HTTP
import NIOConcurrencyHelpers
import Streaming

/// Decides when a refused address may have run out.
extension HTTPOrigin {
  /// The address that is asked, and the header fields for it. For a page it is that of the format in
  /// use.
  var place: (url: String, headers: [HeaderField]) {
    state.withLockedValue { state in
      guard isPage, let format = state.format else { return (state.url, []) }
      return (format.url, format.fields)
    }
  }

  /// Tells what the refusal of `url` means: nil for a verdict on it, or for a passing fault.
  ///
  /// An answer that an expired address may have counts if bytes of the file were read before, because
  /// then the address was good. Before that it counts where the address says that it expires, once:
  /// the address that the feed gives instead is judged as any other.
  func refusal(_ isGone: Bool, mayBe mayBeGone: Bool, at url: String) -> FetchEnd? {
    guard !isGone else { return .gone }
    guard mayBeGone else { return nil }
    let (isUnproved, wasAskedAnew) = state.withLockedValue { ($0.isUnproved, $0.wasAskedAnew) }
    guard isUnproved else { return .mayBeGone }
    return !wasAskedAnew && AddressExpiry.isStated(in: url, now: failures.now()) ? .gone : nil
  }

  /// Notes that the feed is asked for another address. Returns whether the last one has worked, and
  /// is surely gone now.
  func willBeRenewed() -> Bool {
    state.withLockedValue { state in
      defer {
        state.hasAnswered = false
        // A page was asked anew only if it has answered.
        if !isPage { state.wasAskedAnew = true }
      }
      return state.hasAnswered && state.isSurelyGone
    }
  }

  /// True if the last refusal said that nothing is at the address.
  var isSurelyGone: Bool { state.withLockedValue { $0.isSurelyGone } }
}
