import Control
import TestSupport
import Testing

extension Promises {
  /// A network that silently drops its connections: another Wi-Fi, a VPN, a NAT that forgot them.
  @Suite(
    .timeLimit(.minutes(5)),
    .unless(TestNetwork.obstacle))
  struct KeptConnectionTests {
    private static let size = 600_000

    @Test(arguments: [1, 4, 20])
    func theFirstByteComesThoughAllKeptConnectionsAreDead(count: Int) throws {
      let network = try TestNetwork()
      let feed = try mounted(in: network, films: count + 4)
      // Answers that take a while overlap, so that each film has a connection of its own.
      try feed.origin.network(latency: .milliseconds(150))
      try readAtOnce(1...count, of: feed)
      var kept = try network.ports(to: feed.origin.port)
      // A reader that ends early closes its connection.
      for spare in [count + 3, count + 4] where kept.count < min(count, 8) {
        try readAtOnce(spare...spare, of: feed)
        kept = try network.ports(to: feed.origin.port)
      }
      #expect(kept.count >= min(count, 8))
      try feed.origin.network(latency: .zero)

      try network.filter("tcp dport { \(kept.map(String.init).joined(separator: ", ")) } drop")

      for number in [count + 1, count + 2] {
        let time = try measured { try expectFirstByte(of: number, in: feed) }
        print("\(kept.count) dead connections: the first byte of film \(number) after \(time)")
        // A new connection works all along.
        #expect(time < (number == count + 1 ? Figure.goingOn.time : .seconds(2)).here)
      }
    }

    /// All readers have streams of one connection, which has been dead for a while or dies now.
    @Test(
      .unless(SecureProxy.obstacle),
      arguments: [1, 16])
    func theFirstByteComesThoughTheConnectionOfManyStreamsIsDead(count: Int) throws {
      let network = try TestNetwork()
      let feed = try MountedFeed(in: network)
      let proxy = try SecureProxy(before: feed)
      try feed.serve(
        (1...count + 4).map { number in
          var film = PatternFile(name: "film\(number)", size: 24 << 20, seed: UInt64(number))
          film.url = proxy.url(film.path)
          return film
        })
      try feed.mount(proxy.url("/feed"), options: ["--cacert", proxy.authority])
      // Each reader reads on slowly, so that its stream stays.
      try feed.origin.network(latency: .milliseconds(50), rate: 200_000)
      let readers = try (1...count).map { try ChildProcess(["cat", feed.path($0)]) }
      for reader in readers {
        #expect(reader.output.wait(timeout: .seconds(30)) { !$0.isEmpty })
      }
      try feed.origin.network(latency: .zero, rate: 200_000)
      let kept = try network.ports(to: Int(proxy.port))
      #expect(!kept.isEmpty)

      try network.filter("tcp dport { \(kept.map(String.init).joined(separator: ", ")) } drop")
      let before = readers.map(\.output.bytes.count)

      for number in [count + 3, count + 4] {
        let time = try measured { try expectFirstByte(of: number, in: feed) }
        print("a dead connection of \(count) streams: film \(number) after \(time)")
        #expect(time < Figure.goingOn.time.here)
      }
      // The readers in the middle of their streams go on too.
      for (reader, before) in zip(readers, before) {
        // A film may have come to its end already.
        let least = min(before + 1, 24 << 20)
        #expect(eventually(within: .seconds(30)) { reader.output.bytes.count >= least })
      }
      for (number, reader) in zip(1...count, readers) {
        reader.killGroup()
        let bytes = reader.output.bytes
        #expect(Pattern.bytes(0..<bytes.count, seed: UInt64(number)) == bytes)
      }
    }

    /// No probe has to find the network first: the kernel reports it.
    @Test func aReaderWhoWaitsGoesOnAsSoonAsThereIsANetworkAgain() throws {
      let network = try TestNetwork()
      // The two films after the first may be cached before a read asks for them.
      let feed = try mounted(in: network, films: 9)
      try readAtOnce(1...1, of: feed)
      try network.setLink(up: false)
      let reader = try ChildProcess(["head", "-c", "1", feed.path(9)])
      // Waits until the backoff has grown to 4 s.
      #expect(
        try eventually(within: .seconds(40)) {
          try feed.status().origins.contains { origin in
            ["2", "3", "4"].contains { origin.state.contains("next try in \($0)") }
          }
        })

      let time = try measured {
        try network.setLink(up: true)
        #expect(reader.wait(timeout: .seconds(30)) == 0)
      }
      #expect(time < .seconds(3).here)
    }

    private func mounted(in network: TestNetwork, films: Int) throws -> MountedFeed {
      let feed = try MountedFeed(in: network, originOptions: ["--address", "0.0.0.0"])
      try feed.serve(
        (1...films).map { number in
          var film = PatternFile(name: "film\(number)", size: Self.size, seed: UInt64(number))
          film.url = "http://\(network.near):\(feed.origin.port)\(film.path)"
          return film
        })
      try feed.mount()
      return feed
    }

    private func readAtOnce(_ numbers: ClosedRange<Int>, of feed: MountedFeed) throws {
      let readers = try numbers.map { try ChildProcess(["cat", feed.path($0)]) }
      for reader in readers { #expect(reader.wait(timeout: .seconds(60)) == 0) }
    }

    private func expectFirstByte(of number: Int, in feed: MountedFeed) throws {
      let reader = try ChildProcess(["head", "-c", "1", feed.path(number)])
      #expect(reader.wait(timeout: .seconds(90)) == 0)
      #expect(reader.output.bytes == Pattern.bytes(0..<1, seed: UInt64(number)))
    }
  }
}
