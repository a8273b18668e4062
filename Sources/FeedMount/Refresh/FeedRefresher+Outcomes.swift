/// The outcomes of requests to the feed.
extension FeedRefresher {
  /// The outcome of the last attempt.
  struct Report: Sendable {
    /// The reason, in a sentence, why the feed was not read or its pages could not be used; else
    /// nil.
    var error: String?
    var failures = 0
    /// True if the attempt failed because no server answered.
    var isUnanswered = false
    /// The delay that the origin demanded with the last failure; nil if it demanded none.
    var retryAfter: Duration?

    /// Returns the delay before a retry if another origin answers `time` after the failed attempt;
    /// nil if the retry is left to the schedule.
    func comeback(after time: Duration) -> Duration? {
      isUnanswered ? max(.zero, FeedRefresher.firstPause - time) : nil
    }
  }

  /// The outcome of reading further pages.
  struct More: Sendable {
    var added = 0
    /// The reason, in a sentence, why there are no more pages; nil if there can be more.
    var endedBecause: String?
    /// The reason of a failure, in a sentence.
    var error: String?
  }
}
