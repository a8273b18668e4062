import Glibc
import TestSupport

/// A mount that is stopped in the midst of a deed, and the checks of the bytes that are left.
struct StoppedFill: Sendable, CustomStringConvertible {
  /// The number of different trials.
  static let trials = 200

  let number: Int
  let deed: FillDeed
  let feed: MountedFeed
  /// The number of the moment, from 0 on.
  let index: Int
  private let moment: StopMoment

  /// Each deed has as many trials, one after the other, so an even choice has some of each.
  init(_ number: Int) throws {
    self.number = number
    let moments = Self.trials / FillDeed.allCases.count
    deed = FillDeed.allCases[number / moments]
    index = number % moments
    moment = deed.moment(index, of: moments)
    feed = try MountedFeed()
    try feed.serve(FillDeed.files)
  }

  var description: String { "trial \(number): \(deed), \(moment)" }

  // MARK: The deed

  /// Begins the deed on a mount, and calls `stop` at the moment. Readers must have got right bytes
  /// until then.
  ///
  /// - Returns: the bytes that readers got, by the number of the file, where all of them stay cached.
  func begin(stop: () throws -> Void) throws -> [Int: Int] {
    if !deed.readBefore.isEmpty {
      _ = try ChildProcess.run(["cat"] + deed.readBefore.map { feed.path($0) })
    }
    try feed.settle()
    try feed.origin.reset()
    try feed.origin.network(latency: .milliseconds(5), rate: deed.rate)
    let readers = try deed.readers.map { files in
      (files: files, child: try ChildProcess(["cat"] + files.map { feed.path($0) }))
    }
    let connection = try feed.connection()
    if deed == .beginningAnew { try feed.origin.wait(bytes: 1 << 20, below: "/pattern/") }
    let clearing = try clearing()
    switch moment {
    case .bytes(let count): try feed.origin.wait(bytes: count, below: "/pattern/")
    case .time(let time): _ = readers[0].child.wait(timeout: time)
    }
    try stop()
    if let clearing, clearing.wait(timeout: .seconds(20)) == nil {
      throw TestToolError("the clearing never ends")
    }
    var had: [Int: Int] = [:]
    for reader in readers {
      guard reader.child.wait(timeout: .seconds(20)) != nil else {
        // Otherwise the reader outlives the test.
        let places = whereabouts(of: reader.child.pid) + whereabouts(of: try feed.process.pid)
        try feed.abort(connection)
        throw TestToolError("a reader never ends:\(places)")
      }
      let bytes = reader.child.output.bytes
      try expect(bytes, of: reader.files)
      if deed.keepsAll, reader.files.count == 1 { had[reader.files[0]] = bytes.count }
    }
    return had
  }

  /// Starts the user's command that clears files, if the deed has one.
  private func clearing() throws -> ChildProcess? {
    guard !deed.cleared.isEmpty else { return nil }
    let files = deed.cleared.map { feed.path($0) }
    return try ChildProcess(
      [BuiltBinary.path("feedfs"), "cache", "clear"] + files
        + ["--cache-dir", feed.cacheDirectory], environment: feed.environment)
  }

  private func expect(_ bytes: [UInt8], of files: [Int]) throws {
    var done = 0
    for number in files where done < bytes.count {
      let file = FillDeed.files[number - 1]
      let count = min(file.size, bytes.count - done)
      guard bytes[done..<done + count].elementsEqual(Pattern.bytes(0..<count, seed: file.seed))
      else { throw TestToolError("wrong bytes of \(number) before the stop") }
      done += count
    }
    guard done == bytes.count else { throw TestToolError("\(bytes.count - done) bytes too many") }
  }

  // MARK: Afterwards

  /// Checks that every file is the origin's, by its SHA-256.
  func expectRight() throws {
    try FillDeed.expectRight(in: feed)
  }

  /// Checks that each cached block agrees with its checksum.
  func expectSound() throws {
    // Without names it would ask the mounts of other trials, too.
    let outcome = try feed.cache(["verify"] + FillDeed.files.indices.map { feed.path($0 + 1) })
    guard outcome.status == 0, outcome.out.contains("nothing is wrong") else {
      throw TestToolError("\(outcome.out)\(outcome.err)")
    }
  }

  /// Ends the mount in order, and reads everything from a mount without a network.
  func expectRightOffline() throws {
    // `feedfs unmount` may take the mount of another trial for a copy of this one: the kernel gives
    // the number of its device away again at once.
    let process = try feed.process
    process.terminate()
    guard process.wait(timeout: .seconds(20)) == 0 else {
      throw TestToolError("it does not end in order: \(process.errors.text)")
    }
    if deed.keepsAll, try !feed.cleanMarks().allSatisfy({ $0 == 1 }) {
      throw TestToolError("not in order after a clean stop")
    }
    guard deed != .evicting else { return }
    feed.origin.stop()
    try feed.mount(options: deed.options)
    try expectRight()
  }
}
