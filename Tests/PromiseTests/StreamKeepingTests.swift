import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// The cache keeps, clears and gives back the film of a stream like any file.
  @Suite(
    .timeLimit(.minutes(5)), .enabled(if: canMount && isInstalled("ffmpeg"), "ffmpeg is missing"))
  struct StreamKeepingTests {
    private static let shapes = [StreamShape.transport, .pair]

    private func cached(_ number: Int, _ feed: MountedFeed) throws -> Int {
      try feed.status().files[number - 1].cached
    }

    @Test(arguments: shapes)
    func aReaderGoesOnWhileItsFilmIsCleared(_ shape: StreamShape) throws {
      let film = try StreamFeed(shape)
      let truth = try film.truth()
      let feed = film.feed
      try film.mount()
      let reader = try MountedFile(film.film(1))
      #expect(try reader.readAll() == truth)

      #expect(try feed.cache("clear", film.film(1)).status == 0)
      #expect(try cached(1, feed) < truth.count)
      try reader.forgetPages()
      #expect(try reader.readAll() == truth)
    }

    @Test(arguments: shapes)
    func aPinnedFilmStaysAndAnEvictedOneComesBackWithTheSameBytes(_ shape: StreamShape) throws {
      let film = try StreamFeed(shape, films: 5)
      let truth = try film.truth()
      let feed = film.feed
      // Room for two films, one of which is pinned.
      let room = truth.count * 5 / 2
      try film.mount(options: ["--cache-size", "\(room)", "--min-free", "0"])
      #expect(try feed.bytes(of: film.film(1)) == truth)
      #expect(try feed.cache("pin", film.film(1)).status == 0)
      for number in 2...5 { #expect(try feed.bytes(of: film.film(number)) == truth) }
      try feed.settle()

      #expect(try cached(1, feed) == truth.count)
      // This is not always the one that was read first, since films that come next are got ready.
      let evicted = try #require(try (2...5).first { try cached($0, feed) < truth.count })
      #expect(try feed.bytes(of: film.film(evicted)) == truth)
      try feed.unmount()
      feed.origin.stop()
      try film.mount(options: ["--cache-size", "\(room)", "--min-free", "0"])
      #expect(try feed.bytes(of: film.film(1)) == truth)
    }

    /// Head, layout and the beginning of the first slot stay while the entry is listed, so that an evicted
    /// film begins as soon as one that was never evicted.
    @Test(arguments: shapes)
    func anEvictedFilmBeginsWithoutItsOrigin(_ shape: StreamShape) throws {
      var large = shape
      large.source = ["-vf", "noise=alls=40:allf=t"] + shape.source.map { $0 == "5" ? "18" : $0 }
      let film = try StreamFeed(large, films: 4)
      let truth = try film.truth()
      let feed = film.feed
      let options = ["--cache-size", "\(truth.count * 3 / 2)", "--min-free", "0"]
      try film.mount(options: options)
      #expect(try feed.bytes(of: film.film(1)) == truth)
      // A disk that is slower than the origin evicts late. Bytes that find no room meanwhile are not kept.
      try #require(
        eventually {
          for number in 2...4 {
            let file = try MountedFile(film.film(number))
            try file.forgetPages()
            #expect(try file.readAll() == truth)
          }
          try feed.settle()
          return try cached(1, feed) < truth.count / 2
        })
      let kept = try cached(1, feed)
      #expect(kept >= 512 << 10, "\(kept)")
      // Only the next process tells what is on the disk.
      try #require(
        eventually {
          for number in 2...4 {
            let file = try MountedFile(film.film(number))
            try file.forgetPages()
            _ = try file.read(0..<256 << 10)
          }
          try feed.settle()
          try feed.unmount()
          try film.mount(options: options)
          return try feed.status().files.allSatisfy { file in
            file.extents?.first.map { $0.from == 0 && $0.until >= 256 << 10 } ?? false
          }
        })
      try feed.unmount()
      feed.origin.stop()
      try film.mount(options: options + ["--offline"])
      for number in 1...4 {
        let head = try MountedFile(film.film(number)).read(0..<256 << 10)
        #expect(head == Array(truth[..<(256 << 10)]))
      }
    }

    @Test(arguments: shapes)
    func aReaderWaitsInAPauseAndGoesOn(_ shape: StreamShape) throws {
      let film = try StreamFeed(shape)
      let truth = try film.truth()
      let feed = film.feed
      try film.mount(options: ["--fill", "window"])
      // Slow enough for the film not to be there before the pause.
      try feed.origin.network(rate: 200 << 10)
      let file = try MountedFile(film.film(1))
      #expect(try file.read(0..<4096) == Array(truth[..<4096]))
      #expect(try feed.feedfs("pause", feed.mountPoint).status == 0)
      let place = truth.count - (64 << 10)
      let reading = try feed.reading(of: film.film(1), at: place)
      try #require(eventually { reading.isWaiting() })
      #expect(reading.end(.seconds(1)) == nil)
      try feed.origin.network(rate: 0)
      #expect(try feed.feedfs("resume", feed.mountPoint).status == 0)
      #expect(reading.end(.seconds(30)) == .bytes(Array(truth[place...])))
      #expect(try file.readAll() == truth)
    }

    @Test(.unless(Passthrough.obstacle))
    func aCompleteFilmIsReadByTheKernelAlone() throws {
      let film = try StreamFeed(.pair)
      let truth = try film.truth()
      let feed = film.feed
      let disk = try CacheDisk(for: feed, megabytes: 64)
      try film.mount()
      try #require(eventually { try feed.status().passthrough == true })
      #expect(try MountedFile(film.film(1)).readAll() == truth)
      #expect(
        try eventually { try MountedFile(film.film(1)).passesThrough(past: feed.process) })
      #expect(try MountedFile(film.film(1)).readAll() == truth)
      withExtendedLifetime(disk) {}
    }

    @Test(arguments: PowerDisk.FileSystem.allCases.filter(\.isThere), shapes)
    func afterPowerCutsNoByteIsWrong(
      _ kind: PowerDisk.FileSystem, _ shape: StreamShape
    ) throws {
      let film = try StreamFeed(shape)
      let truth = try film.truth()
      let feed = film.feed
      let disk = try PowerDisk(for: feed, kind)
      var random = SeededRandom(seed: 18)
      for cut in 1...3 {
        try film.mount()
        let file = try MountedFile(film.film(1))
        let place = random.below(truth.count - 500_000)
        for range in [0..<100_000 * cut, place..<place + 400_000] {
          #expect(try file.read(range) == Array(truth[range]), "cut \(cut)")
        }
        try disk.cut()
        try feed.kill()
        try disk.restore()
      }
      try film.mount()
      #expect(try feed.bytes(of: film.film(1)) == truth)
    }

    /// The address of a pair expires in the middle of the film; the resolver knows another one.
    @Test func anAddressThatExpiresInTheMiddleOfAFilmIsAskedForAgain() throws {
      let film = try StreamFeed(.pair)
      let truth = try film.truth()
      let feed = film.feed
      try film.answer(1, query: "?token=1")
      try film.mount(options: ["--fill", "window"])
      try feed.origin.network(rate: 400 << 10)
      let file = try MountedFile(film.film(1))
      #expect(try file.read(0..<4096) == Array(truth[..<4096]))
      for name in film.shape.entry {
        try feed.origin.fault(
          .status, below: film.path(name, of: 1) + "?token=1", ["code": "403"])
      }
      try film.answer(1, query: "?token=2")
      try feed.origin.network(rate: 0)
      #expect(try file.readAll() == truth)
    }

    /// The layouts of the next two films are made while one plays. A page is resolved ahead for
    /// players alone.
    @Test(arguments: [StreamShape.transport, .group])
    func theNextFilmsStartWithoutARequest(_ shape: StreamShape) throws {
      let film = try StreamFeed(shape, films: 4)
      let truth = try film.truth()
      let feed = film.feed
      try film.mount()
      let playing = try MountedFile(film.film(1))
      #expect(try playing.readAll() == truth)
      for number in [2, 3] {
        #expect(try eventually { try cached(number, feed) >= 64 << 10 }, "\(number)")
      }
      try feed.settle()
      try feed.origin.reset()
      for number in [2, 3] {
        let head = try MountedFile(film.film(number)).read(0..<64 << 10)
        #expect(head == Array(truth[..<(64 << 10)]))
        let asked = try feed.origin.log(below: "/files/film\(number)/")
        // Its read-ahead may begin at once, with any part of a segment. A question for a size asks
        // for a beginning alone.
        let beginnings = [Figure.streamBeginning.bytes, Figure.streamTabledBeginning.bytes]
        let isNoSize = asked.allSatisfy { request in
          !beginnings.contains { request.askedFor == 0..<$0 }
        }
        #expect(isNoSize, "\(asked.map { ($0.target, $0.askedFor) })")
      }
    }

    /// The film is encoded again while somebody reads it.
    @Test(arguments: shapes)
    func anotherVersionInTheMiddleOfAFilmIsNeverMixedIn(_ shape: StreamShape) throws {
      let film = try StreamFeed(shape)
      let truth = try film.truth()
      var other = shape
      other.source = shape.source.map { $0 == "5" ? "20" : $0 }
      let feed = film.feed
      let newTruth = try film.prepare(other)
      try #require(newTruth != truth)
      try film.mount(options: ["--fill", "window"])
      // Much is missing when the other version comes.
      try feed.origin.network(rate: 50 << 10)
      let file = try MountedFile(film.film(1))
      #expect(try file.read(0..<4096) == Array(truth[..<4096]))
      // Requests that are under way bring the old version. A pause ends them.
      #expect(try feed.feedfs("pause", feed.mountPoint).status == 0)
      try film.replace()
      try #require(try cached(1, feed) < truth.count)
      try feed.origin.network(rate: 0)
      #expect(try feed.feedfs("resume", feed.mountPoint).status == 0)

      // The open handle gives bytes of the version that it opened, or an error.
      for place in stride(from: 0, to: truth.count, by: 256 << 10) {
        if let bytes = try? file.read(place..<place + (256 << 10)) {
          let isOld = truth[place...].starts(with: bytes)
          #expect(isOld, "\(bytes.count) bytes at \(place)")
        }
      }
      let becomesNew = eventually { (try? feed.bytes(of: film.film(1))) == newTruth }
      #expect(becomesNew)
    }
  }
}
