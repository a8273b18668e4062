import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// The costs of streams for their origin, by its log.
  @Suite(
    .timeLimit(.minutes(5)), .enabled(if: canMount && isInstalled("ffmpeg"), "ffmpeg is missing"))
  struct StreamCostTests {
    /// The same film, with noise that makes its fragments as large as those of real ones.
    private static func noisy(_ shape: StreamShape) -> StreamShape {
      var noisy = shape
      noisy.source = ["-vf", "noise=alls=40:allf=t"] + shape.source.map { $0 == "5" ? "18" : $0 }
      return noisy
    }

    /// Shapes of which an index or byte ranges tell the fragments.
    private static let indexed = [StreamShape.pair, .oneFile].map(noisy)
    /// Shapes whose fragments have tables of their samples.
    private static let tabled = [StreamShape.pair, .oneFile, .group, .segments].map(noisy)

    private func mount(_ shape: StreamShape) throws -> StreamFeed {
      let film = try StreamFeed(shape)
      try film.feed.origin.network(latency: .milliseconds(30), rate: 20_000_000)
      try film.mount()
      return film
    }

    private func requests(_ film: StreamFeed) throws -> [LoggedRequest] {
      try film.feed.settle()
      return try film.feed.origin.log(below: "/files/film1/")
    }

    @Test(arguments: indexed)
    func aLookAtAFilmWithAnIndexIsCheap(_ shape: StreamShape) throws {
      let film = try mount(shape)
      _ = try MountedFile(film.film(1)).read(0..<4096)
      let asked = try requests(film)
      let bytes = asked.reduce(0) { $0 + $1.bytesSent }
      print("\(shape): a look costs \(asked.count) requests and \(bytes >> 10) KiB")
      #expect(asked.count <= Figure.streamLook.count, "\(asked.map { ($0.path, $0.range) })")
      #expect(bytes <= 2 << 20)
    }

    @Test(arguments: [StreamShape.transport, .segments].map(noisy))
    func aLookAtAFilmWithoutAnIndexCostsOneRequestASegmentBesides(_ shape: StreamShape) throws {
      let film = try mount(shape)
      _ = try MountedFile(film.film(1)).read(0..<4096)
      let asked = try requests(film)
      let most = shape.name == StreamShape.transport.name ? Figure.segmentBeginning.bytes : 1
      let sizes = asked.filter { $0.bytesSent <= most }
      print("\(shape): \(sizes.count) sizes, and \(asked.count - sizes.count) requests")
      #expect(Set(sizes.map(\.path)).count == sizes.count && sizes.count >= 3)
      #expect(asked.count - sizes.count <= Figure.streamLook.count)
    }

    @Test func aLookThatOpensAFilmTwiceAsksForNoByteTwice() throws {
      let film = try mount(Self.noisy(.transport))
      try film.feed.openTwice(film.film(1))
      let asked = try requests(film)
      for (path, all) in Dictionary(grouping: asked, by: \.path) {
        let size = try Self.size(of: film.feed.media + path.dropFirst("/files".count))
        #expect(all.reduce(0) { $0 + $1.bytesSent } <= size, "\(path): \(all.map(\.range))")
      }
    }

    private static func size(of file: String) throws -> Int {
      var facts = stat()
      guard stat(file, &facts) == 0 else { throw TestToolError("no file \(file)") }
      return Int(facts.st_size)
    }

    @Test(arguments: tabled)
    func aSeekCostsFewRequestsAndNotManyMoreBytesThanItReads(_ shape: StreamShape) throws {
      let film = try mount(shape)
      let opened = try MountedFile(film.film(1))
      _ = try opened.read(0..<4096)
      _ = try requests(film)
      let length = try #require(try film.feed.status().files[0].size)
      try film.feed.origin.reset()
      let size = Figure.streamSeekSize.bytes
      let seeks = 8
      for seek in 0..<seeks {
        let place = length / (seeks + 2) * (1 + seek * 5 % seeks) + 12_345
        #expect(try opened.read(place..<place + size).count == size)
      }
      let asked = try requests(film)
      let bytes = asked.reduce(0) { $0 + $1.bytesSent }
      print("\(shape): \(asked.count) requests, \(bytes) bytes for \(seeks * size)")
      #expect(asked.count <= seeks * Figure.streamSeekRequests.count)
      #expect(Double(bytes) <= Figure.streamSeekCost.share * Double(seeks * size))
    }

    /// A transport stream has no tables of its samples.
    @Test func aSeekInATransportStreamCostsTheSegmentsThatItTouchesOnce() throws {
      let film = try mount(Self.noisy(.transport))
      let opened = try MountedFile(film.film(1))
      _ = try opened.read(0..<4096)
      _ = try requests(film)
      try film.feed.origin.reset()
      let length = try #require(try film.feed.status().files[0].size)
      let place = length / 2
      _ = try opened.read(place..<place + Figure.streamSeekSize.bytes)
      // The rest of the first segment may be asked for only now.
      let asked = try requests(film).filter { !$0.path.hasSuffix("/s0000.ts") }
      #expect(Set(asked.map(\.path)).count == asked.count && asked.count <= 2)
    }

    @Test(arguments: tabled + [noisy(.transport)])
    func aWholeReadCostsItsBytesOnceAndNoMoreRequestsAtOnceThanAFile(_ shape: StreamShape) throws {
      let film = try mount(shape)
      let length = try MountedFile(film.film(1)).readAll().count
      let asked = try requests(film)
      let bytes = asked.reduce(0) { $0 + $1.bytesSent }
      print("\(shape): \(asked.count) requests, \(bytes) bytes for \(length)")
      #expect(Double(bytes) <= Figure.streamWhole.share * Double(length))
      // A fragment of picture and sound is asked for as a whole, and not range by range.
      let isMuxed = [StreamShape.oneFile, .segments].contains { $0.name == shape.name }
      #expect(!isMuxed || asked.count <= 30)
      let most = asked.map { one in
        asked.count { $0.ms <= one.ms && ($0.endMs ?? .max) > one.ms }
      }.max()
      #expect((most ?? 0) <= Figure.requestsAtOnce.count)
    }
  }
}
