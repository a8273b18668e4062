/// The part of a file to fetch beyond its readers' read-ahead.
package enum FillPolicy: String, Hashable, Codable, CaseIterable, Sendable {
  /// Nothing.
  case window
  /// All of a file that was played for a minute, in the background and also after it is closed.
  case rest
  /// All of a file, as soon as it is played.
  case all

  /// The time of playing after which the whole file is fetched; nil: never.
  var wholeAfter: Duration? {
    switch self {
    case .window: nil
    case .rest: .seconds(60)
    case .all: .zero
    }
  }
}
