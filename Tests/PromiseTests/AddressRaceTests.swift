import TestSupport
import Testing

extension Promises {
  /// An origin with a dead address of IPv6, such as behind a broken tunnel.
  @Suite(
    .timeLimit(.minutes(2)),
    .unless(TestNetwork.obstacle))
  struct AddressRaceTests {
    /// Each round needs a new connection. The head start of IPv6 is 200 ms.
    @Test func aDeadAddressOfIPv6CostsItsHeadStartOnce() throws {
      let network = try TestNetwork()
      try network.addDeadNeighbours(as: "2001:db8::2")
      try network.answerNames(known: true, dead: "2001:db8::1")
      let feed = try MountedFeed(in: network, originOptions: ["--address", "0.0.0.0"])
      let site = "http://films.test:\(feed.origin.port)"
      try feed.serve(
        (1...8).map { number in
          var film = PatternFile(name: "film\(number)", size: 600_000, seed: UInt64(number))
          film.url = site + film.path
          return film
        })
      try feed.mount(site + "/feed")

      let times = try (1...8).map { number in
        try feed.origin.stopListening()
        try feed.origin.listenAgain()
        return try measured {
          let head = try ChildProcess.run(["head", "-c", "1", feed.path(number)])
          #expect(head.status == 0)
        }
      }
      print("first bytes over new connections beside a dead address: \(times)")
      // Other work on the machine may spoil some of them.
      #expect(times.sorted()[2] < .milliseconds(150).here, "\(times)")
    }
  }
}
