/// How much of a file is fetched beyond what its readers will want soon.
package enum FillPolicy: String, Hashable, Codable, CaseIterable, Sendable {
  /// Nothing.
  case window
  /// All of a file that was played for a minute, in the background and also after it is closed.
  case rest
  /// All of a file that somebody reads on in.
  case all

  /// For how long somebody reads on until all of the file is wanted; nil: never.
  var wholeAfter: Duration? {
    switch self {
    case .window: nil
    case .rest: .seconds(60)
    case .all: .zero
    }
  }
}
