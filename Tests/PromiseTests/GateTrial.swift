import TestSupport

/// A mount whose films come through its own gate.
struct GateTrial {
  static let size = 600_000
  /// Bytes to read: so few that nothing more is fetched.
  static let head = 400_000
  /// The first film that is still empty after the first one was read: two are preloaded.
  static let fresh = 4

  let feed: MountedFeed
  let gate: Gate
  private let size: Int

  /// - Parameters:
  ///   - size: bytes of each film.
  ///   - isPinned: whether the key of the good certificate is pinned.
  init(
    films: Int, of size: Int = Self.size, protocols: [String] = ["h2", "http/1.1"],
    readTimeout: Int, isPinned: Bool = false
  ) throws {
    self.size = size
    feed = try MountedFeed()
    gate = try Gate(before: feed.origin)
    try gate.serve(.good, protocols: protocols)
    let files = (1...films).map { number in
      var file = PatternFile(name: "f\(number)", size: size, seed: UInt64(number))
      file.url = gate.url(file.path)
      return file
    }
    try feed.serve(files)
    if isPinned {
      try feed.write("[pins]\n\"127.0.0.1\" = \"\(gate.pin)\"\n", to: MountedFeed.configuration)
    }
    try feed.mount(
      gate.url("/feed"),
      options: ["--cacert", gate.authority, "--read-timeout", "\(readTimeout)"])
  }

  func path(_ number: Int) -> String { "/pattern/f\(number).mp4" }

  func truth(of number: Int) -> [UInt8] { Pattern.bytes(0..<size, seed: UInt64(number)) }

  func isRight(_ number: Int) throws -> Bool {
    try feed.bytes(of: feed.path(number)) == truth(of: number)
  }

  /// Whether the film is right within 40 s.
  func becomesRight(_ number: Int) -> Bool {
    eventually(within: .seconds(40)) { (try? isRight(number)) ?? false }
  }

  func reader(of number: Int) throws -> ChildProcess {
    try ChildProcess(["cat", feed.path(number)])
  }
}
