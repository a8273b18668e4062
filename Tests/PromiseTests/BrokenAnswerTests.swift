import Control
import TestSupport
import Testing

extension Promises {
  /// Answers that continue at a wrong place after a cut, like those of a proxy that fetches in
  /// slices.
  @Suite(.timeLimit(.minutes(4))) struct BrokenAnswerTests {
    private static let size = 6 << 20
    private static let truth = Pattern.bytes(0..<size, seed: 1)

    private func feed(on drive: DriveKind) throws -> any Drive {
      let feed = try drive.drive()
      try feed.serve([PatternFile(name: "a", size: Self.size)])
      return feed
    }

    /// Makes one answer with the byte at `offset` go on there with the next slice, once.
    private func cut(at offset: Int, in feed: any Drive) throws {
      try feed.origin.fault(
        .slicecut, below: "/pattern/a", times: 1, after: 0, offset: offset, ["by": "131072"])
    }

    private func wrong(in feed: any Drive) throws -> Int {
      try feed.log.split(separator: "\n").filter { $0.contains("found wrong bytes") }
        .reduce(0) { $0 + 1 + ($1.firstMatch(of: /others=(\d+)/).flatMap { Int($0.1) } ?? 0) }
    }

    /// In the first fetch, in later fetches, and in the last slice.
    private static let offsets = [
      1, 300_000, 600_001, 1_100_000, 2_500_000, 4_194_303, 5_900_000, 6_291_455,
    ]

    @Test(
      arguments: DriveKind.cases(offsets, onKernel: [300_000, 1_100_000, 4_194_303, 6_291_455]))
    func whatAnAnswerBroughtBehindACutIsFoundAndNotKept(on drive: DriveKind, offset: Int) throws {
      let feed = try feed(on: drive)
      try cut(at: offset, in: feed)
      try feed.mount()
      _ = try feed.bytes(of: feed.path(1))
      try feed.settle()

      #expect(try feed.bytes(of: feed.path(1)) == Self.truth)
      #expect(try feed.mediaRequests().count { $0.fault != nil } == 1)
      // After a cut in the last slice of an answer, no bytes follow at a wrong place.
      #expect(try wrong(in: feed) == 1 || offset > 512 << 10)
      try feed.unmount()
      feed.origin.stop()
      try feed.mount()
      #expect(try feed.bytes(of: feed.path(1)) == Self.truth)
    }

    @Test(arguments: DriveKind.all)
    func whatWasReadOfItIsNamedInTheLogAndTheStatus(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      try cut(at: 100_000, in: feed)
      // Slow enough for a read before the end of the answer is seen.
      try feed.origin.network(rate: 400 << 10)
      try feed.mount()
      let file = try feed.open(feed.path(1))
      let first = try file.read(0..<200_000)
      #expect(first != Array(Self.truth[..<200_000]))
      let isFound = eventually { ((try? wrong(in: feed)) ?? 0) == 1 }
      try #require(isFound)
      try feed.origin.network(rate: 0)

      let isMended = eventually {
        (try? file.read(0..<200_000)) == Array(Self.truth[..<200_000])
      }
      #expect(isMended)
      let told = "an answer that broke off had wrong bytes: bytes 0-"
      #expect(try feed.log.contains(told))
      let what = try feed.details(of: feed.path(1)).file.failure?.what ?? ""
      #expect(what.contains(told) && what.contains("programs may have read of them"), "\(what)")
      if let feed = feed as? MountedFeed {
        let status = try feed.feedfs("status", feed.path(1))
        #expect(
          status.out.contains(told) && status.out.contains("programs may have read of them"),
          "\(status)")
      }
    }

    /// A read after the kill compares the last bytes from before it.
    @Test func whatAKillLeftOfItIsFoundByWhoReadsOn() throws {
      let feed = try MountedFeed()
      try feed.serve([PatternFile(name: "a", size: Self.size)])
      try cut(at: 2_200_000, in: feed)
      try feed.origin.network(rate: 4 << 20)
      try feed.mount()
      let file = try MountedFile(feed.path(1))
      var read = 0
      while read < 2_900_000 { read += try file.read(read..<read + 65_536).count }
      try feed.kill()
      try feed.origin.network(rate: 0)
      try feed.mount()
      _ = try feed.bytes(of: feed.path(1))
      try feed.settle()

      #expect(try feed.bytes(of: feed.path(1)) == Self.truth)
    }

    /// Suspect bytes are readable while the origin is away, and compared once it is back.
    @Test(arguments: DriveKind.all)
    func whatWasNotComparedIsReadWithoutItsOriginAndComparedWithIt(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      try feed.origin.fault(
        .slicecut, below: "/pattern/a", times: 1, after: 0, offset: 300_000, ["by": "131072"])
      try feed.origin.fault(.reset, below: "/pattern/a", starts: 1..<Self.size)
      try feed.mount(options: ["--read-timeout", "5"])
      let place = 340_000..<350_000
      let before = try feed.open(feed.path(1)).read(place)
      #expect(before != Array(Self.truth[place]))
      try feed.settle()
      try feed.unmount()
      try feed.mount(options: ["--read-timeout", "5"])
      // No cached byte has been compared yet, neither the right nor the wrong ones.
      #expect(try feed.open(feed.path(1)).read(place) == before)
      try feed.unmount()
      try feed.origin.clear(below: "/pattern/a")
      try feed.mount()

      // A read does not wait for long until they are compared.
      #expect(try eventually { try feed.bytes(of: feed.path(1)) == Self.truth })
    }

    /// After a wrong answer, an origin gets requests for at most 1 MiB, until they add up to 1 GiB.
    @Test(arguments: DriveKind.all)
    func anOriginThatWasWrongIsAskedForSmallPieces(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      let large = 40 << 20
      try feed.serve([
        PatternFile(name: "a", size: Self.size), PatternFile(name: "b", size: large, seed: 2),
      ])
      try cut(at: 100_000, in: feed)
      try feed.mount()
      _ = try feed.bytes(of: feed.path(1))
      try feed.settle()
      try feed.origin.reset()
      #expect(try feed.bytes(of: feed.path(2)) == Pattern.bytes(0..<large, seed: 2))
      try feed.settle()
      let longest = try feed.mediaRequests().compactMap { $0.askedFor?.count }.max()

      #expect(try #require(longest) <= Figure.cautiousRequest.bytes)
    }

    // MARK: nginx

    @Test(.unless(SlicingProxy.obstacle))
    func behindNginxWithSlicesNoWrongByteIsReadAfterTheCheckAndNoneIsKept() throws {
      let feed = try MountedFeed()
      let proxy = try SlicingProxy(before: feed, slice: 128)
      // One origin per film: a wrong answer causes small requests to its own origin only.
      let films = (0..<20).map { number in
        let name = "c\(number)"
        let place = "http://127.0.0.\(number + 2):\(proxy.port)/pattern/\(name).mp4"
        return PatternFile(
          name: name, size: Self.size, seed: UInt64(number),
          url: "\(place)?size=\(Self.size)&seed=\(number)")
      }
      try feed.serve(films)
      for (number, film) in films.enumerated() {
        try feed.origin.fault(
          .end, below: "/pattern/\(film.name).", times: 1, after: 0,
          offset: 60_000 + number * 311_111)
      }
      // nginx keeps the connection open and falls silent: after a quarter of this timeout that
      // counts as a break.
      try feed.mount(options: ["--allow-private", "127.0.0.0/8", "--read-timeout", "20"])
      let readers = try films.indices.map { try ChildProcess(["cat", feed.path($0 + 1)]) }
      for reader in readers { #expect(reader.wait(timeout: .seconds(60)) == 0) }
      try feed.settle()

      #expect(proxy.cuts == 20)
      for (number, film) in films.enumerated() {
        let bytes = try feed.bytes(of: feed.path(number + 1))
        #expect(bytes == Pattern.bytes(0..<film.size, seed: film.seed), "film \(number)")
      }
      try feed.unmount()
      let found = try wrong(in: feed)
      print("measured: nginx with slices: \(proxy.cuts) cuts, \(found) of them were found wrong")
      #expect(found >= 10)
      proxy.stop()
      feed.origin.stop()
      try feed.mount()
      for (number, film) in films.enumerated() {
        let bytes = try feed.bytes(of: feed.path(number + 1))
        #expect(bytes == Pattern.bytes(0..<film.size, seed: film.seed), "film \(number), kept")
      }
    }
  }
}
