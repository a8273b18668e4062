/// An event while a feed is played.
package enum PlayEvent: Hashable, Sendable {
  /// The mount was checked; nil if its listing has not changed.
  case listed(PlayedListing?)
  case condition(PlayCondition)
  /// The paths in the player's list, in answer to `.look`, and the index of the entry that plays.
  case holds([String], current: Int?)
  /// The player opens the file at this path.
  case opens(String)
  /// The player has opened the file, and plays.
  case loaded
  /// The player is this many seconds from the beginning.
  case isAt(Double)
  /// The entry that plays lasts this many seconds.
  case lasts(Double)
  case ended(Reason)
  /// The player has come to the end of its list.
  case idle
  /// The player is gone.
  case closed

  package enum Reason: Hashable, Sendable {
    /// Nothing was left to read. This is the end, or an error that the player takes for the end.
    case end
    /// The user or another program wanted another entry, or the end of the player.
    case stopped
    case failed
  }
}

/// The condition of a played mount, which decides whether missing bytes can be fetched.
package enum PlayCondition: Hashable, Sendable {
  case online
  case paused
  /// The mount is set to offline, or no origin answers.
  case offline

  /// The condition in words, for the player's screen.
  var words: String {
    switch self {
    case .online: "online again"
    case .paused: "paused: nothing is fetched"
    case .offline: "offline, playing from the cache"
    }
  }
}

/// An order to the player, or a position to save or to forget.
package enum PlayAction: Hashable, Sendable {
  /// Ask for the player's list.
  case look
  /// Append these entries to the player's list.
  case append([PlayedEntry])
  /// Move an entry of the list to an earlier place. `to` is its place afterwards.
  case move(from: Int, to: Int)
  case remove(Int)
  case play(Int)
  /// Go to the previous entry.
  case back
  /// Start the file that is being opened at this many seconds from its beginning.
  case start(at: Double)
  case seek(to: Double)
  case show(String)
  /// Save the user's position in the entry, in seconds.
  case remember(PlayedEntry.Key, Double)
  case forget(PlayedEntry.Key)
  /// - Parameter code: the player's exit code.
  case quit(code: Int)
}
