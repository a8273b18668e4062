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
