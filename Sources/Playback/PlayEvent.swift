/// What happens while a feed is played.
package enum PlayEvent: Hashable, Sendable {
  /// Somebody has looked at the mount; nil: its listing is as it was.
  case listed(PlayedListing?)
  case condition(PlayCondition)
  /// The player's list, by paths, as it is asked for by `.look`, and which of them it plays.
  case holds([String], current: Int?)
  /// The player opens the file at this path.
  case opens(String)
  /// It has opened it, and plays.
  case loaded
  /// It is so many seconds from the beginning.
  case isAt(Double)
  /// What it plays lasts so many seconds.
  case lasts(Double)
  case ended(Reason)
  /// It has come to the end of its list.
  case idle
  /// It is gone.
  case closed

  package enum Reason: Hashable, Sendable {
    /// There was nothing more to read: its end, or an error, which players take for it.
    case end
    /// Its user, or somebody else, wanted another one.
    case stopped
    case failed
  }
}
