/// The part of a file to fetch in addition to the read-ahead of its readers.
package enum FillPolicy: String, Hashable, Codable, CaseIterable, Sendable {
  /// Nothing besides the read-ahead.
  case window
  /// The whole file, once it was played for a minute. It is fetched in the background, even after
  /// it is closed.
  case rest
  /// The whole file, as soon as it is played.
  case all
}
