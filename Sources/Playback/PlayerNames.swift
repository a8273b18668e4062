/// Which file is meant by the numbers that mpv gives to what is put into its list.
///
/// A property like `path` would not do: of files that it cannot open mpv tells only some.
struct PlayerNames: Sendable {
  private var awaited: [[String]] = []
  private var paths: [Int: String] = [:]

  /// mpv is told of these.
  mutating func tell(of entries: [PlayedEntry]) {
    awaited.append(entries.map(\.path))
  }

  /// It has answered, in the order in which it was told; nil: it has not taken them.
  mutating func taken(from first: Int?) {
    guard !awaited.isEmpty else { return }
    for (index, path) in awaited.removeFirst().enumerated() {
      if let first { paths[first + index] = path }
    }
  }

  /// Empty for what is not ours.
  func path(of number: Int?) -> String {
    number.flatMap { paths[$0] } ?? ""
  }
}
