/// The part of a file to fetch in addition to the read-ahead of its readers.
package enum FillPolicy: String, Hashable, Codable, CaseIterable, Sendable {
  /// Nothing is fetched besides the read-ahead.
  case window
  /// The whole file is fetched, once it was played for a minute. This goes on in the background,
  /// even after the file is closed.
  case rest
  /// The whole file is fetched, as soon as it is played.
  case all
}
