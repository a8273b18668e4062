import Control
import Glibc
import Synchronization
import TestSupport
import Testing

extension Promises {
  /// Films whose origins do not tell how long they are.
  @Suite(.timeLimit(.minutes(5))) struct GrowingTests {
    private static let size = 3 << 20 | 12_345

    /// The way in which an origin ends a body without a length.
    enum Framing: CaseIterable, Sendable {
      case chunked
      /// As HTTP/1.0 does, with the end of the connection.
      case closed

      var fault: OriginFault { self == .chunked ? .status200chunked : .status200close }
    }

    // MARK: To the end

    @Test(arguments: DriveKind.all, Framing.allCases)
    func aBodyWithoutLengthIsReadToItsEndAndThenKept(
      on drive: DriveKind, framing: Framing
    ) throws {
      let feed = try feed(on: drive, framing.fault)
      try feed.mount()

      #expect(try feed.bytes(of: feed.path(1)) == truth(0..<Self.size))
      #expect(try feed.look(at: feed.path(1)).size == Self.size)
      // Only a second fetch shows that the closed connection was no break.
      #expect(try feed.mediaRequests().count == (framing == .chunked ? 1 : 2))
      try feed.settle()
      #expect(try feed.bytes(of: feed.path(1)) == truth(0..<Self.size))
      #expect(try feed.mediaRequests().count == (framing == .chunked ? 1 : 2))
      let status = try feed.status().files[0]
      #expect(status.state == .complete && status.size == Self.size && status.growthLimit == nil)
      try feed.unmount()
      try feed.mount()
      #expect(try feed.bytes(of: feed.path(1)) == truth(0..<Self.size))
      #expect(try feed.mediaRequests().count == (framing == .chunked ? 1 : 2))
    }

    @Test(arguments: DriveKind.all)
    func itsSizeGrowsWhileItIsFetchedAndIsNeverWrongAfterItsEnd(on drive: DriveKind) throws {
      let size = 64 << 20
      let feed = try feed(on: drive, .status200chunked, size: size)
      try feed.origin.network(rate: 16 << 20)
      try feed.mount()
      let first = try feed.open(feed.path(1))
      let second = try feed.open(feed.path(1))
      var sizes: [Int] = []
      var read = 0
      while read < size {
        let bytes = try first.read(read..<read + 1 << 20)
        #expect(bytes == Pattern.bytes(read..<read + bytes.count, seed: 1))
        #expect(bytes.count == min(1 << 20, size - read))
        read += bytes.count
        sizes.append(try second.facts().size)
        // Whole pages are told, and less than what has come.
        #expect((sizes.last ?? 0) >= read - 4096)
      }

      #expect(sizes == sizes.sorted() && sizes.allSatisfy { $0 <= size })
      #expect(sizes.first ?? size < size / 2, "\(sizes)")
      #expect(try first.read(size..<size + 100) == [])
      #expect(try feed.look(at: feed.path(1)).size == size)
      #expect(try first.facts().size == size && second.facts().size == size)
      // A reader that seeks in what is there, and one that opens the file again.
      #expect(try second.read(1 << 20..<2 << 20) == Pattern.bytes(1 << 20..<2 << 20, seed: 1))
      #expect(try feed.bytes(of: feed.path(1)) == Pattern.bytes(0..<size, seed: 1))
      #expect(try feed.mediaRequests().count == 1)
    }

    @Test(arguments: DriveKind.all)
    func aReadFurtherOnWaitsForItsBytes(on drive: DriveKind) throws {
      let feed = try feed(on: drive, .status200chunked)
      try feed.origin.network(rate: 2 << 20)
      try feed.mount()
      let offset = Self.size - 100_000
      let early = try feed.reading(of: feed.path(1), at: offset, count: 50_000)
      let beyond = try feed.reading(of: feed.path(1), at: Self.size - 10, count: 1000)

      #expect(early.end(.seconds(20)) == .bytes(truth(offset..<offset + 50_000)))
      #expect(beyond.end(.seconds(20)) == .bytes(truth(Self.size - 10..<Self.size)))
      #expect(try feed.mediaRequests().count == 1)
    }

    @Test(arguments: DriveKind.all) func anEmptyBodyIsAnEmptyFile(on drive: DriveKind) throws {
      let feed = try drive.drive()
      try feed.origin.put([UInt8](), at: "/pattern/none.mp4", type: "video/mp4")
      try feed.origin.fault(.status200chunked, below: "/pattern/none.mp4")
      var film = PatternFile(name: "none", size: 0)
      film.url = feed.origin.url("/pattern/none.mp4")
      try feed.serve([film])
      try feed.mount()

      #expect(try feed.bytes(of: feed.path(1)) == [])
      #expect(try feed.look(at: feed.path(1)).size == 0)
    }

    @Test func itIsMappedOnceItsLengthIsProved() throws {
      let feed = try MountedFeed()
      try feed.serve([PatternFile(name: "a", size: Self.size)])
      try feed.origin.fault(.status200chunked, below: "/pattern/a")
      try feed.origin.network(rate: 2 << 20)
      try feed.mount()

      #expect(try mapping(of: feed.path(1)) == ENODEV)
      #expect(try feed.bytes(of: feed.path(1)) == truth(0..<Self.size))
      #expect(try mapping(of: feed.path(1)) == 0)
    }

    /// Returns the errno of a shared mapping of the first page; 0 if it succeeds.
    private func mapping(of path: String) throws -> Int32 {
      let script = """
        import mmap, os, sys
        file = os.open(sys.argv[1], os.O_RDONLY)
        os.pread(file, 65536, 0)
        try: mmap.mmap(file, 4096, mmap.MAP_SHARED, mmap.PROT_READ)
        except OSError as error: sys.exit(error.errno)
        """
      return try ChildProcess.run(["python3", "-c", script, path]).status
    }

    // MARK: Breaks

    @Test(arguments: DriveKind.all)
    func aBodyThatIsCutInTheMiddleIsAnErrorAndNeverAShortRead(on drive: DriveKind) throws {
      let feed = try feed(on: drive, .status200cut, after: 1 << 20)
      try feed.mount(options: ["--read-timeout", "5"])
      let file = try feed.open(feed.path(1))

      #expect(try file.read(0..<1 << 20) == truth(0..<1 << 20))
      #expect(try file.failure(of: 1 << 20..<(1 << 20) + 4096) == EIO)
      #expect(try feed.failure(ofReading: feed.path(1)) == EIO)
      #expect(try feed.details(of: feed.path(1)).file.failure != nil)
      // The origin is mended. The reader goes on with the bytes that it had.
      try feed.origin.clear()
      try feed.origin.fault(.status200chunked, below: "/pattern/a")
      #expect(try feed.bytes(of: feed.path(1)) == truth(0..<Self.size))
      #expect(try file.read(1 << 20..<2 << 20) == truth(1 << 20..<2 << 20))
    }

    @Test(arguments: DriveKind.all, [true, false])
    func afterABreakItGoesOnWithTheRestOrBeginsAnew(
      on drive: DriveKind, hasRanges: Bool
    ) throws {
      let feed = try drive.drive()
      try feed.serve([PatternFile(name: "a", size: Self.size)])
      try feed.origin.fault(.status200cut, below: "/pattern/a", times: 1, after: 2 << 20)
      if !hasRanges { try feed.origin.fault(.status200chunked, below: "/pattern/a") }
      try feed.mount()

      #expect(try feed.bytes(of: feed.path(1)) == truth(0..<Self.size))
      let requests = try feed.mediaRequests()
      #expect(requests.count == 2)
      #expect(requests.last?.range?.hasPrefix("bytes=20") ?? false, "\(requests)")
      let most = hasRanges ? Self.size + 8192 : Self.size + (2 << 20)
      #expect(try feed.mediaBytes() <= most)
    }

    @Test(arguments: DriveKind.all)
    func aBodyThatBeginsAnewAndDiffersIsAnotherVersion(on drive: DriveKind) throws {
      let feed = try drive.drive()
      try feed.serve([PatternFile(name: "a", size: Self.size)])
      try feed.origin.describe(below: "/pattern/", etag: "none", lastModified: false)
      try feed.origin.fault(.status200cut, below: "/pattern/a", times: 1, after: 1 << 20)
      try feed.mount()
      let file = try feed.open(feed.path(1))
      #expect(try file.read(0..<1 << 20) == truth(0..<1 << 20))
      try feed.settle()
      try feed.origin.version(1, below: "/pattern/a")
      try feed.origin.fault(.status200chunked, below: "/pattern/a")

      #expect(try file.failure(of: 1 << 20..<(1 << 20) + 4096) == ESTALE)
      #expect(try file.read(0..<1000) == truth(0..<1000))
      let new = try feed.open(feed.path(1))
      #expect(try new.readAll() == Pattern.bytes(0..<Self.size, seed: 2))
      #expect(try new.facts().inode != file.facts().inode)
    }

    // MARK: Kills

    @Test(arguments: [true, false])
    func whatCameBeforeAKillIsReadAgain(hasRanges: Bool) throws {
      let size = 64 << 20
      let feed = try MountedFeed()
      try feed.serve([PatternFile(name: "a", size: size)])
      try feed.origin.fault(
        .status200chunked, below: "/pattern/a", starts: hasRanges ? 0..<1 : nil)
      try feed.origin.network(rate: 24 << 20)
      try feed.mount()
      let file = try feed.open(feed.path(1))
      #expect(try file.read(20 << 20..<21 << 20) == Pattern.bytes(20 << 20..<21 << 20, seed: 1))
      try feed.kill()
      try feed.settle()
      try feed.origin.reset()
      try feed.origin.network(rate: 0)
      try feed.mount()

      #expect(try feed.bytes(of: feed.path(1)) == Pattern.bytes(0..<size, seed: 1))
      #expect(try feed.look(at: feed.path(1)).size == size)
      if hasRanges { #expect(try feed.mediaBytes() < size - (19 << 20)) }
    }

    // MARK: The cache

    @Test(arguments: DriveKind.all)
    func clearingItWhileItGrowsHarmsNoReader(on drive: DriveKind) throws {
      let feed = try feed(on: drive, .status200chunked)
      try feed.origin.network(rate: 2 << 20)
      try feed.mount()
      let file = try feed.open(feed.path(1))
      #expect(try file.read(0..<1 << 20) == truth(0..<1 << 20))
      _ = try feed.change(.clear([feed.name(1)]))

      #expect(try file.readAll() == truth(0..<Self.size))
      #expect(try feed.bytes(of: feed.path(1)) == truth(0..<Self.size))
      #expect(try feed.look(at: feed.path(1)).size == Self.size)
    }

    @Test(arguments: DriveKind.all)
    func whatCameBeforeAnUnmountIsGoneOnWith(on drive: DriveKind) throws {
      let feed = try feed(on: drive, .status200chunked)
      try feed.origin.network(rate: 2 << 20)
      try feed.mount()
      #expect(try feed.open(feed.path(1)).read(0..<1 << 20) == truth(0..<1 << 20))
      try feed.unmount()
      try feed.settle()
      // The origin has ranges by now.
      try feed.origin.clear()
      try feed.origin.reset()
      try feed.mount()

      #expect(try feed.bytes(of: feed.path(1)) == truth(0..<Self.size))
      #expect(try feed.mediaBytes() <= Self.size - (1 << 20) + 8192)
      #expect(try feed.mediaRequests().count == 1)
    }

    @Test(arguments: DriveKind.all)
    func aBodyThatIsLargerThanTheCacheIsReadInOrder(on drive: DriveKind) throws {
      let feed = try feed(on: drive, .status200chunked, size: 24 << 20)
      try feed.mount(options: ["--cache-size", "4M"])

      #expect(try feed.bytes(of: feed.path(1)) == Pattern.bytes(0..<24 << 20, seed: 1))
      #expect(try feed.look(at: feed.path(1)).size == 24 << 20)
    }

    // MARK: Without an end

    @Test(arguments: [1 << 20, (2 << 20) + 17])
    func whatHasNoEndAndNoSignIsReadUpToALimitAndTold(limit: Int) throws {
      let feed = try DirectDrive()
      try feed.serve([PatternFile(name: "a", size: 1 << 30)])
      try feed.origin.fault(.status200chunked, below: "/pattern/a")
      feed.maxGrowth.withLock { $0 = limit }
      try feed.mount()
      let file = try feed.open(feed.path(1))

      #expect(try file.read(0..<1 << 20) == Pattern.bytes(0..<1 << 20, seed: 1))
      #expect(try feed.status().files[0].growthLimit == limit)
      #expect(try file.failure(of: limit..<limit + 1) == EIO)
      let failure = try feed.details(of: feed.path(1)).file.failure
      #expect(
        failure?.what.contains("did not end within") ?? false, "\(String(describing: failure))")
      try feed.settle()
      #expect(try feed.mediaRequests().count == 1)
    }

    @Test(arguments: DriveKind.all) func aLivePlaylistIsNoFileAndIsAskedForOnce(
      on drive: DriveKind
    ) throws {
      let feed = try drive.drive()
      let playlist = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:9\n#EXTINF:6,\n9.ts\n"
      try feed.origin.put(
        playlist, at: "/pattern/live.mp4", type: "application/vnd.apple.mpegurl")
      var film = PatternFile(name: "live", size: 0)
      film.url = feed.origin.url("/pattern/live.mp4")
      try feed.serve([film])
      try feed.mount(options: ["--sizes", "open"])

      for _ in 0..<3 { #expect(try feed.failure(ofReading: feed.path(1)) == EIO) }
      let failure = try feed.details(of: feed.path(1)).file.failure
      #expect(failure?.what.contains("live stream") ?? false, "\(String(describing: failure))")
      #expect(try feed.mediaRequests().count == 1)
      #expect(try feed.log.contains("live stream"))
    }

    // MARK: Private

    private func truth(_ range: Range<Int>) -> [UInt8] { Pattern.bytes(range, seed: 1) }

    private func feed(
      on drive: DriveKind, _ fault: OriginFault, size: Int = Self.size, after: Int? = nil
    ) throws -> any Drive {
      let feed = try drive.drive()
      try feed.serve([PatternFile(name: "a", size: size)])
      try feed.origin.fault(fault, below: "/pattern/a", after: after)
      return feed
    }
  }
}
