/// The part of a file to fetch besides its readers' read-ahead.
package enum FillPolicy: String, Hashable, Codable, CaseIterable, Sendable {
  /// Nothing besides the read-ahead.
  case window
  /// The whole file, once it was played for a minute. It is fetched in the background, even after
  /// the file is closed.
  case rest
  /// The whole file, as soon as it is played.
  case all
}
