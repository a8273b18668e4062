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

/// Whether what is missing can be had.
package enum PlayCondition: Hashable, Sendable {
  case online
  case paused
  /// Told so, or no origin answers.
  case offline

  /// For the player's screen.
  var words: String {
    switch self {
    case .online: "online again"
    case .paused: "paused: nothing is fetched"
    case .offline: "offline, playing from the cache"
    }
  }
}

/// What a player is to be told, or is to be kept of it.
package enum PlayAction: Hashable, Sendable {
  /// Ask for its list.
  case look
  /// Put these behind the last one of its list.
  case append([PlayedEntry])
  /// So that it stands at `to` afterwards, which is before `from`.
  case move(from: Int, to: Int)
  case remove(Int)
  case play(Int)
  /// Go to the one before.
  case back
  /// Begin the file that is being opened at so many seconds.
  case start(at: Double)
  case seek(to: Double)
  case show(String)
  /// Its user has come so far.
  case remember(PlayedEntry.Key, Double)
  case forget(PlayedEntry.Key)
  /// - Parameter code: what it is to end with.
  case quit(code: Int)
}
