/// How a mount fetches from now on.
package struct SteeringOutcome: Hashable, Codable, Sendable {
  package var schema = 1
  /// Which mount; null: the one that was asked.
  package var mountPoint: String?
  package var mode: Mode
  /// Bytes a second; null: any number.
  package var rateLimit: Int?

  package init(mode: Mode, rateLimit: Int?) {
    self.mode = mode
    self.rateLimit = rateLimit
  }
}
