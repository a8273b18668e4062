/// The part of a file to fetch besides its readers' read-ahead.
package enum FillPolicy: String, Hashable, Codable, CaseIterable, Sendable {
  /// Nothing.
  case window
  /// All of a file that was played for a minute. It is fetched in the background, also after the
  /// file is closed.
  case rest
  /// All of a file, as soon as it is played.
  case all
}
