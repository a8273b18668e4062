import TestSupport
import Testing

extension Promises {
  /// The cost of seeks for the origin.
  @Suite(.timeLimit(.minutes(3))) struct SeekingTests {
    private static let seeks = 20

    @Test(arguments: DriveKind.all)
    func aSeekCostsOneRequestAndNotManyMoreBytesThanItReads(on drive: DriveKind) throws {
      let feed = try drive.drive()
      let film = PatternFile(name: "film", size: 64 << 20)
      try feed.serve([film])
      try feed.origin.network(latency: .milliseconds(30), rate: 20_000_000)
      try feed.mount()
      let opened = try feed.open(feed.path(1))
      let size = Figure.seekSize.bytes
      for seek in 0..<Self.seeks {
        // The places are 3 MiB apart, and in no order. They lie on no border of pages or blocks.
        let place = (3 << 20) * (1 + seek * 7 % Self.seeks) + 12_345
        #expect(
          try opened.read(place..<place + size) == Pattern.bytes(place..<place + size, seed: 1))
      }
      try feed.settle()

      let requests = try feed.mediaRequests().filter { !($0.range ?? "").hasPrefix("bytes=0-") }
      let bytes = requests.reduce(0) { $0 + $1.bytesSent }
      print("seeks: \(requests.count) requests, \(bytes) bytes for \(Self.seeks * size)")
      // An answer that is late may be asked for a second time (L4). On a busy machine the two halves of
      // a read may reach the daemon apart, and cost a request each.
      #expect(requests.count <= Self.seeks + 1 + Self.seeks / 10)
      if drive == .direct { #expect(Set(requests.map(\.range)).count <= Self.seeks + 1) }
      #expect(Double(bytes) <= Figure.seekCost.share * Double(Self.seeks * size))
    }
  }
}
