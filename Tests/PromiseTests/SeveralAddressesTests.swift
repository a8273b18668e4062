import TestSupport
import Testing

extension Promises {
  /// A name with several addresses, of which some do not answer.
  @Suite(.timeLimit(.minutes(3)), .unless(TestNetwork.obstacle))
  struct SeveralAddressesTests {
    /// The addresses besides the one that answers.
    struct Name: CustomTestStringConvertible, Sendable {
      let testDescription: String
      /// The silent addresses of IPv4, one or two, and those of IPv6.
      let silent: Int
      var ofIPv6 = 0
      var refuses = false
    }

    @Test(arguments: [
      Name(testDescription: "one that refuses", silent: 0, refuses: true),
      Name(testDescription: "a silent one", silent: 1),
      Name(testDescription: "two silent ones", silent: 2),
      Name(testDescription: "one that refuses and a silent one", silent: 1, refuses: true),
      Name(testDescription: "silent ones of both kinds", silent: 1, ofIPv6: 1),
      Name(testDescription: "two silent ones of each kind", silent: 2, ofIPv6: 2),
    ])
    func theFirstByteComesSoonInSpiteOfThem(name: Name) throws {
      let network = try TestNetwork()
      let answering = network.other
      let silent = [network.near, TestNetwork.third].prefix(name.silent)
      let ofIPv6 = (0..<name.ofIPv6).map { "2001:db8::\($0 + 1)" }
      try network.addThird()
      if name.ofIPv6 > 0 { try network.addDeadNeighbours(as: "2001:db8::9") }
      for address in silent { try network.filter("ip saddr \(address) drop") }
      try network.answerNames(
        as: ofIPv6 + silent + (name.refuses ? [network.far] : []) + [answering])
      let feed = try MountedFeed(in: network, originOptions: ["--address", "0.0.0.0"])
      try feed.serve(
        (1...4).map { number in
          var film = PatternFile(name: "film\(number)", size: 600_000, seed: UInt64(number))
          film.url = "http://films.test:\(feed.origin.port)" + film.path
          return film
        })
      try feed.mount(
        "http://\(answering):\(feed.origin.port)/feed",
        options: ["--allow-private", TestNetwork.addresses, "--allow-private", "2001:db8::/32"])

      let times = try (1...4).map { number in
        try feed.origin.stopListening()
        try feed.origin.listenAgain()
        return try measured {
          let head = try ChildProcess.run(["head", "-c", "1", feed.path(number)])
          #expect(head.status == 0)
        }
      }
      print("first bytes beside \(name.testDescription): \(times)")
      let count = name.silent + name.ofIPv6
      #expect(times[0] < Figure.silentAddress.time.here * max(count, 1), "\(times)")
      // Other work on the machine may spoil some of them.
      #expect((times.dropFirst().min() ?? times[0]) < Figure.besideDead.time.here, "\(times)")
    }
  }
}
