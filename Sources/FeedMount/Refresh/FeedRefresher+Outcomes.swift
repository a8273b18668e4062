import Feeds

/// What asking the feed can come to.
extension FeedRefresher {
  /// What the last attempt came to.
  struct Report: Sendable {
    /// Why it failed, in a sentence; nil if it did not.
    var error: String?
    var failures = 0
    /// Whether it failed because nothing answered.
    var isUnanswered = false
    /// What the server asked for with the last failure.
    var retryAfter: Duration?

    /// Something else was answered, so long after it failed: when it is to be tried again; nil: as the
    /// schedule says.
    func comeback(after time: Duration) -> Duration? {
      isUnanswered ? max(.zero, FeedRefresher.firstPause - time) : nil
    }
  }

  /// What asking for more has brought.
  struct More: Sendable {
    var added = 0
    /// Why there is no more; nil: there may be.
    var ended: PageChain.End?
    /// Why it failed, in a sentence.
    var error: String?
  }
}
