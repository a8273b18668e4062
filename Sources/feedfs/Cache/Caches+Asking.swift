import Control
import FeedMount

extension Caches {
  /// The most names of one request: they go into its head, which has 8 KiB at most.
  private static let mostNames = 40

  /// Sends a request to every place that has some of `files`; returns the sum of the outcomes.
  func all(
    _ files: [String], _ request: ([String]) -> CacheRequest
  ) async throws(MountError) -> CacheOutcome {
    var all = CacheOutcome()
    for (place, names) in try meant(by: files) {
      for part in Self.parts(of: names) {
        let outcome = try await place.ask(request(part), as: CacheOutcome.self)
        all.files += outcome.files
        all.freed += outcome.freed
        all.pinned += outcome.pinned
      }
    }
    return all
  }

  /// Splits `names` for several requests; an empty part means everything.
  static func parts(of names: [String]) -> [[String]] {
    guard !names.isEmpty else { return [[]] }
    return stride(from: 0, to: names.count, by: mostNames).map {
      Array(names[$0..<min($0 + mostNames, names.count)])
    }
  }
}

extension CacheOutcome {
  /// - Parameter done: the word for the action, such as "pruned".
  func say(_ done: String, _ options: CacheOptions) {
    guard !options.json else {
      return feedfs.say(json: (try? Wire.encode(self, pretty: true)) ?? [])
    }
    let space = freed > 0 ? ", \(Quantity.bytes(freed))" : ""
    feedfs.say("\(done) \(Quantity.count(files.count, "file"))\(space)")
    if !pinned.isEmpty {
      feedfs.say(
        "\(Quantity.count(pinned.count, "file")) stayed, pinned: \(pinned.joined(separator: ", "))")
    }
  }
}
