import TestSupport

/// A mount whose films come through a gate of its own.
struct GateTrial {
  static let size = 600_000

  let feed: MountedFeed
  let gate: Gate

  init(films: Int, protocols: [String], readTimeout: Int) throws {
    feed = try MountedFeed()
    gate = try Gate(before: feed.origin, in: feed.folder)
    try gate.serve(.good, protocols: protocols)
    let files = (1...films).map { number in
      var file = PatternFile(name: "f\(number)", size: Self.size, seed: UInt64(number))
      file.url = gate.url(file.path)
      return file
    }
    try feed.serve(files)
    try feed.mount(
      gate.url("/feed"),
      options: ["--cacert", gate.authority, "--read-timeout", "\(readTimeout)"])
  }

  func path(_ number: Int) -> String { "/pattern/f\(number).mp4" }

  func truth(of number: Int) -> [UInt8] { Pattern.bytes(0..<Self.size, seed: UInt64(number)) }

  func isRight(_ number: Int) throws -> Bool {
    try feed.bytes(of: feed.path(number)) == truth(of: number)
  }

  func reader(of number: Int) throws -> ChildProcess {
    try ChildProcess(["cat", feed.path(number)])
  }
}
