/// An event while a feed is played.
package enum PlayEvent: Hashable, Sendable {
  /// The mount was checked. The value is nil if its listing has not changed.
  case listed(PlayedListing?)
  case condition(PlayCondition)
  /// The paths of all files that are cached as a whole.
  case whole(Set<String>)
  /// News about the bytes of the file that plays.
  case supplied(Supply)
  /// The mount gave no answer about the bytes of the file that plays.
  case silent
  /// The answer to `.check` of this path; nil if the mount does not answer.
  case checked(String, Supply?)
  /// The answer to `.probe` of this path: whether a byte came.
  case probed(String, Bool)
  /// A second has passed. The number is the time in seconds since an arbitrary start.
  case second(Int)
  /// A quarter of a second has passed.
  case look
  /// The paths in the player's list, in answer to `.look`, and the index of the entry that plays.
  case holds([String], current: Int?)
  /// The player opens the file at this path.
  case opens(String)
  /// The player has opened the file, and plays.
  case loaded
  /// The player is this many seconds from the beginning.
  case isAt(Double)
  /// The picture is at this byte of the file; nil if the player does not know.
  case isAtByte(Int?)
  /// The entry that plays lasts this many seconds.
  case lasts(Double)
  /// The answer to `.ask`: whether the player wants to leave its file.
  case answers(isStopping: Bool)
  /// The user seeks.
  case seeks
  /// The player was paused, or goes on.
  case isPaused(Bool)
  /// The player has stopped at the end of the file, or has left the end.
  case isAtEnd(Bool)
  case ended(Reason)
  /// The player has come to the end of its list.
  case idle
  /// The player has ended.
  case closed

  package enum Reason: Hashable, Sendable {
    /// The player has read to the end, or to an error that it takes for the end.
    case end
    /// The user or another program chose another entry, or ended the player.
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
    case .paused: "paused: feedfs fetches nothing"
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
  /// Leave the end of the entry, and play the next entry.
  case next
  /// Go to the previous entry.
  case back
  /// Start the file that is being opened at this many seconds from its beginning.
  case start(at: Double)
  case seek(to: Double)
  /// Show a message.
  case show(String)
  /// Show the reason why the picture stands still. The text disappears soon, unless it is shown
  /// again.
  case tell(String)
  /// Pause the player, or let it go on.
  case hold(Bool)
  /// Ask whether the player wants to leave its file.
  case ask
  case askPosition
  /// Open the file again, and play from this position in seconds.
  case reopen(String, at: Double)
  /// Ask the mount how the bytes of the file come. `.checked` follows.
  case check(String)
  /// Read the byte at this place of the file, which may take long. `.probed` follows.
  case probe(String, at: Int)
  /// Abandon the read of `.probe`, because its answer is no longer wanted.
  case endProbe
  /// Let the reads in which the player waits fail, because the player hangs in one of them.
  case release
  /// Save the user's position in the entry, in seconds.
  case remember(PlayedEntry.Key, Double)
  case forget(PlayedEntry.Key)
  /// End the player, with this exit code.
  case quit(code: Int)
}
