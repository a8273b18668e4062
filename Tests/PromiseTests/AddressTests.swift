import Control
import TestSupport
import Testing

extension Promises {
  /// A feed's addresses lead only to public hosts, however they are spelled.
  @Suite(.timeLimit(.minutes(2))) struct AddressTests {
    private static let size = 100_000

    /// Hosts that are this computer, or a cloud's metadata service.
    private static let hosts = [
      "127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "017700000001",
      "0177.0.0.1", "0177.0x0.1", "localhost", "LOCALHOST", "localhost.", "127.0.0.1.",
      "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:7f00:1]", "[::1]", "[::]",
      "0.0.0.0", "0", "%31%32%37.0.0.1", "１２７.０.０.１", "127。0。0。1",
      "169.254.169.254", "[::ffff:169.254.169.254]", "2852039166", "0xa9fea9fe",
    ]

    /// Addresses with an ambiguous host, and unsupported schemes.
    private static func tricks(_ port: Int) -> [String] {
      [
        "http://127.0.0.2:\(port)@127.0.0.1:\(port)/pattern/in.mp4",
        "http://127.0.0.2\\@127.0.0.1:\(port)/pattern/in.mp4",
        "http:\\\\127.0.0.1:\(port)/pattern/in.mp4", "http:/127.0.0.1:\(port)/pattern/in.mp4",
        "http:///127.0.0.1:\(port)/pattern/in.mp4",
        "http://127.0.0.2:80#@127.0.0.1:\(port)/pattern/in.mp4",
        "file:///etc/passwd", "ftp://127.0.0.1:\(port)/pattern/in.mp4",
        "gopher://127.0.0.1:\(port)/pattern/in.mp4", "dict://127.0.0.1:\(port)/in.mp4",
        "unix:///pattern/in.mp4", "scp://127.0.0.1/pattern/in.mp4",
      ]
    }

    /// The way in which a film's address leads to one of these.
    enum Way: CaseIterable, Sendable {
      case enclosure, redirect
    }

    @Test(arguments: Way.allCases)
    func noSpellingOfAPrivateAddressIsAsked(way: Way) throws {
      let feed = try hostile(way, options: [])
      let films = try feed.names().filter { $0.hasSuffix(".mp4") }
      #expect(films.count >= Self.hosts.count)
      let readers = try films.map { name in
        (name: name, child: try ChildProcess(["cat", feed.mountPoint + "/" + name]))
      }
      for (name, reader) in readers {
        #expect(reader.wait(timeout: .seconds(40)) == 1, "\(name)")
        #expect(reader.output.bytes.isEmpty && saidError(reader), "\(name)")
      }
      let asked = try feed.origin.log(below: "/pattern/in")
      #expect(asked.isEmpty, "\(asked.map(\.headers))")
      #expect(
        try feed.status().origins.allSatisfy { !$0.origin.contains("169.254") || $0.requests == 0 })
    }

    /// A private address is asked once the user allows it.
    @Test(arguments: Way.allCases) func whatIsAllowedIsAsked(way: Way) throws {
      let feed = try hostile(way, options: ["--allow-private", "127.0.0.0/8"])
      #expect(try feed.bytes(of: feed.path(1)).count == Self.size)
      #expect(try !feed.origin.log(below: "/pattern/in").isEmpty)
    }

    private func hostile(_ way: Way, options: [String]) throws -> MountedFeed {
      let feed = try MountedFeed(originOptions: ["--address", "0.0.0.0"])
      let port = feed.origin.port
      let addresses =
        Self.hosts.map { "http://\($0):\(port)/pattern/in.mp4?size=\(Self.size)" }
        + Self.tricks(port)
      let films = try addresses.enumerated().map { index, address in
        var film = PatternFile(name: "e\(index)", size: Self.size)
        switch way {
        case .enclosure: film.url = address
        case .redirect:
          film.url = "http://127.0.0.2:\(port)\(film.path)"
          try feed.origin.fault(.redirect, below: "/pattern/e\(index).mp4", ["to": address])
        }
        return film
      }
      try feed.serve(films)
      try feed.mount(
        "http://127.0.0.2:\(port)/feed",
        options: ["--read-timeout", options.isEmpty ? "2" : "30"] + options)
      return feed
    }
  }
}
