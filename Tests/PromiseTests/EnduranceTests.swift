import Glibc
import TestSupport
import Testing

extension Promises {
  /// Memory, descriptors, threads and the cache do not grow, however long a daemon runs.
  ///
  /// 64 readers read, seek, open and close without end. The cache has room for a sixth of the
  /// films, the feed changes, and answers fail. A run of all tests takes 12 s of this. FEEDFS_SECONDS sets another
  /// time.
  @Suite(.timeLimit(.minutes(60)), .enabled(if: canMount))
  struct EnduranceTests {
    private static let readers = 64
    private static let limit = 64 << 20
    /// Space that is granted before it is written, and the space of the directories themselves.
    private static let slack = 16 << 20
    private static let time = Duration.seconds(Int(getenvText("FEEDFS_SECONDS") ?? "") ?? 12)
    private static let films = (0..<24).map {
      PatternFile(name: "film\($0)", size: 16 << 20, seed: UInt64($0 + 1))
    }
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
      try feed.serve(Self.films)
      try feed.mount(options: [
        "--cache-size", "64M", "--min-free", "0", "--no-passthrough", "--refresh", "5",
        "--read-timeout", "20",
      ])
    }

    @Test func whatADaemonTakesDoesNotGrow() throws {
      let end = ContinuousClock.now + Self.time
      let crowd = Crowd()
      for number in 0..<Self.readers {
        try crowd.join { try readOn(UInt64(number), until: end) }
      }
      var samples: [DaemonSize] = []
      var turn = 0
      // The first samples show a daemon that still grows to its size.
      while !crowd.wait(until: min(end, .now + Self.time / 20)), .now < end {
        samples.append(try DaemonSize(of: feed.process, cache: feed.cacheDirectory))
        print("endurance: \(samples[samples.count - 1])")
        turn += 1
        try disturb(turn)
      }
      try feed.origin.clear()
      let haveEnded = crowd.wait(until: .now + .seconds(60))

      #expect(haveEnded, "some reader never ends")
      #expect(crowd.failures == [])
      #expect(try feed.process.isRunning)
      let early = samples.dropFirst(samples.count / 4).prefix(max(1, samples.count / 4))
      let late = samples.suffix(max(1, samples.count / 4))
      for (name, size) in DaemonSize.all {
        // On a busy machine the readers come late. Each may hold up a thread, and the daemon has some 30 more.
        let readers = name == "threads" ? Self.readers + 32 : 0
        let before = early.map { $0[keyPath: size] }.max() ?? 0
        let after = late.map { $0[keyPath: size] }.max() ?? 0
        #expect(
          after <= max(readers, before + before / 4 + 16), "\(name) grew from \(before) to \(after)"
        )
      }
      #expect(samples.map(\.cache).max() ?? 0 <= (Self.limit + Self.slack) >> 10)
      // 64 MiB are promised; this may be a debug build.
      #expect(samples.map(\.memory).max() ?? 0 <= 96 << 10)
    }

    /// Reads at random places until `end`. Each read gets right bytes, or an error caused by the
    /// faults.
    private func readOn(_ seed: UInt64, until end: ContinuousClock.Instant) throws {
      var random = SeededRandom(seed: seed)
      while .now < end {
        let film = Int.random(in: 0..<Self.films.count, using: &random)
        guard let opened = try unlessRefused({ try MountedFile(feed.path(film + 1)) }) else {
          continue
        }
        for _ in 0..<Int.random(in: 1...4, using: &random) where .now < end {
          let start = Int.random(in: 0..<(16 << 20) - (512 << 10), using: &random)
          for piece in 0..<Int.random(in: 1...4, using: &random) {
            let range = start + piece << 17..<start + (piece + 1) << 17
            guard let bytes = try unlessRefused({ try opened.read(range) }) else { continue }
            // A short read: an error may follow the last page that came.
            let came = range.prefix(bytes.count)
            guard bytes == Pattern.bytes(came, seed: Self.films[film].seed) else {
              throw TestToolError("wrong bytes in \(came) of \(Self.films[film].name)")
            }
          }
        }
      }
    }

    /// Returns nil if the call fails with an errno, as the faults cause it. Rethrows any other
    /// error, such as that of a call that never ends.
    private func unlessRefused<Value>(_ call: () throws -> Value) throws -> Value? {
      do {
        return try call()
      } catch is ReadFailure {
        return nil
      }
    }

    /// Ends the fault of the last turn, and causes another one.
    private func disturb(_ turn: Int) throws {
      try feed.origin.clear()
      let path = "/pattern/film\(turn % 24)"
      switch turn % 5 {
      case 0: try feed.origin.fault(.reset, below: path, times: 20, after: 70_000)
      case 1: try feed.origin.fault(.status, below: path, times: 20, ["code": "500"])
      case 2: try feed.origin.fault(.stall, below: path, times: 5, after: 1000)
      case 3: try feed.origin.fault(.html206, below: path, times: 20)
      default: try feed.serve(Self.films.reversed())
      }
    }
  }
}

/// The resources that a daemon uses at one moment.
private struct DaemonSize: CustomStringConvertible {
  /// Resident memory with mapped pages, and disk space of the cache, both in KiB.
  let memory: Int
  let cache: Int
  let descriptors: Int
  let threads: Int

  static let all: [(name: String, size: any KeyPath<DaemonSize, Int> & Sendable)] = [
    ("memory", \.memory), ("descriptors", \.descriptors), ("threads", \.threads),
  ]

  init(of daemon: ChildProcess, cache directory: String) throws {
    let status = contents(of: "/proc/\(daemon.pid)/status").split(separator: "\n")
    func field(_ name: String) -> Int {
      let line = status.first { $0.hasPrefix(name + ":") } ?? ""
      return Int(String(line.filter(\.isNumber))) ?? 0
    }
    memory = field("VmRSS")
    threads = field("Threads")
    descriptors = try ChildProcess.run(["ls", "/proc/\(daemon.pid)/fd"]).out.split(separator: "\n")
      .count
    let used = try ChildProcess.run(["du", "-sk", directory])
    cache = Int(used.out.prefix { $0.isNumber }) ?? 0
  }

  var description: String {
    "\(memory) KiB resident, \(descriptors) descriptors, \(threads) threads, \(cache) KiB cached"
  }
}

private func getenvText(_ name: String) -> String? {
  getenv(name).map { String(cString: $0) }
}
