import Control
import TestSupport
import Testing

extension Promises {
  /// A real server with TLS and HTTP/2: nginx.
  @Suite(
    .timeLimit(.minutes(5)),
    .enabled(if: canMount), .unless(SecureProxy.obstacle))
  struct MultiplexingTests {
    private static let size = 24 << 20

    /// The origin limits each connection, so several lanes are used.
    @Test(arguments: ["h2", "http/1.1"], [8 << 20, nil])
    func aFilmIsFilledRight(version: String, rate: Int?) throws {
      let feed = try MountedFeed()
      let proxy = try SecureProxy(before: feed, protocol: version)
      try serve(1...1, of: feed, behind: proxy)
      try feed.origin.network(latency: .milliseconds(20), rate: rate ?? 0)
      try feed.mount(proxy.url("/feed"), options: ["--cacert", proxy.authority])

      #expect(try feed.bytes(of: feed.path(1)) == Pattern.bytes(0..<Self.size, seed: 1))
      let versions = Set(proxy.requests.dropFirst().map(\.version))
      #expect(versions == [version == "h2" ? "HTTP/2.0" : "HTTP/1.1"])
    }

    /// One connection for the feed, the head of each film and a jump in each film.
    @Test func whatReadersWaitForSharesAConnection() throws {
      let feed = try MountedFeed()
      let proxy = try SecureProxy(before: feed)
      try serve(1...6, of: feed, behind: proxy)
      try feed.origin.network(latency: .milliseconds(50))
      try feed.mount(proxy.url("/feed"), options: ["--cacert", proxy.authority])

      let readers = try (1...6).flatMap { number in
        try [0, 16 << 20].map { offset in
          try ChildProcess([
            "dd", "status=none", "if=\(feed.path(number))", "bs=4096", "count=1",
            "iflag=skip_bytes", "skip=\(offset)",
          ])
        }
      }
      for reader in readers { #expect(reader.wait(timeout: .seconds(60)) == 0) }
      // The first request is that of the proxy's start.
      #expect(Set(proxy.requests.dropFirst().map(\.connection)).count == 1, "\(proxy.requests)")
    }

    /// Each has a connection of its own.
    @Test func underALimitAFeedDoesNotWaitForAFilm() throws {
      let feed = try MountedFeed()
      let proxy = try SecureProxy(before: feed)
      try serve(1...1, of: feed, behind: proxy)
      try feed.mount(
        proxy.url("/feed"), options: ["--cacert", proxy.authority, "--limit-rate", "20K"])
      let reader = try ChildProcess(["cat", feed.path(1)])
      #expect(eventually { ((try? feed.status().origins.first?.bytes) ?? 0) > 20_000 })

      for _ in 1...3 {
        let (outcome, time) = try measured("refresh") {
          try feed.feedfs("feed", "refresh", feed.mountPoint)
        }
        #expect(outcome.status == 0, "\(outcome.err)")
        #expect(time < .seconds(4).here)
      }
      reader.killGroup()
    }

    private func serve(
      _ numbers: ClosedRange<Int>, of feed: MountedFeed, behind proxy: SecureProxy
    ) throws {
      try feed.serve(
        numbers.map { number in
          var film = PatternFile(name: "film\(number)", size: Self.size, seed: UInt64(number))
          film.url = proxy.url(film.path)
          return film
        })
    }
  }
}
