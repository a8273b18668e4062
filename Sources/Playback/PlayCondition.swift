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
