import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// The next entries are ready before they are opened, and a whole file is fetched if wanted.
  @Suite(.timeLimit(.minutes(3)), .enabled(if: canMount))
  struct PreloadTests {
    private static let size = 8 << 20
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
      try feed.serve(
        ["a", "b", "c", "d", "away"].enumerated().map { index, name in
          PatternFile(name: name, size: Self.size, seed: UInt64(index + 1))
        })
    }

    @Test func theNextTwoStartWithoutARequest() throws {
      try feed.mount()
      let played = try MountedFile(feed.path(1))
      try readOn(played, to: 2 << 20)
      let next = Array(["b", "c", "d"].prefix(Figure.preloaded.count))
      for name in next {
        // Head, tail, and the first ten seconds.
        try feed.origin.wait(requests: 3, idle: true, below: "/pattern/\(name).")
      }
      #expect(try feed.origin.log(below: "/pattern/d.").isEmpty)
      try feed.origin.reset()

      for number in [2, 3] {
        let file = try MountedFile(feed.path(number))
        let tail = Self.size - (100 << 10)..<Self.size
        #expect(try file.read(0..<400_000) == Pattern.bytes(0..<400_000, seed: UInt64(number)))
        #expect(try file.read(tail) == Pattern.bytes(tail, seed: UInt64(number)))
      }
      let asked = try next.flatMap { try feed.origin.log(below: "/pattern/\($0).") }
      #expect(asked.isEmpty, "\(asked.map(\.range))")
    }

    @Test func nothingIsPreloadedWhileAReaderWaits() throws {
      try feed.mount()
      try feed.origin.fault(.stall, below: "/pattern/away.")
      let waiting = try feed.plainReader(of: feed.path(5), from: 0)
      try feed.origin.wait(requests: 1, below: "/pattern/away.")
      let played = try MountedFile(feed.path(1))
      try readOn(played, to: Self.size)
      try feed.origin.wait(idle: true, below: "/pattern/a.")
      // Opening and reading another file gives a pending preload its time.
      try readOn(MountedFile(feed.path(4)), to: 256 << 10)
      for name in ["b", "c"] { #expect(try feed.origin.log(below: "/pattern/\(name).").isEmpty) }

      waiting.signal(SIGKILL)
      for name in ["b", "c"] { try feed.origin.wait(requests: 1, below: "/pattern/\(name).") }
    }

    @Test(arguments: ["window", "all"]) func allOfAFileIsFetchedIfThatIsWanted(fill: String) throws
    {
      try feed.mount(options: ["--fill", fill])
      try readOn(MountedFile(feed.path(1)), to: 768 << 10)
      try feed.origin.wait(idle: true, below: "/pattern/a.")
      guard fill == "all" else {
        #expect(try cached(1) < Self.size)
        return
      }
      #expect(try eventually { try cached(1) == Self.size })
    }

    @Test func whatCannotBeKeptIsNotFetchedForNobody() throws {
      // Four times what memory holds.
      let size = 96 << 20
      try feed.serve([PatternFile(name: "film", size: size)])
      try feed.mount(options: ["--fill", "all", "--min-free", "100%"])
      try readOn(MountedFile(feed.path(1)), to: 1 << 20)
      // The fill starts, but ends with the memory that holds bytes in place of the disk.
      try feed.origin.wait(bytes: 8 << 20, below: "/pattern/film.")
      try feed.settle()
      #expect(try feed.mediaBytes() < size)
    }

    private func cached(_ number: Int) throws -> Int {
      try feed.status().files.first { $0.name.hasPrefix("000\(number)") }?.cached ?? 0
    }

    private func readOn(_ file: MountedFile, to end: Int) throws {
      for start in stride(from: 0, to: end, by: 128 << 10) {
        let count = try file.read(start..<start + 128 << 10).count
        #expect(count == 128 << 10)
      }
    }
  }
}
