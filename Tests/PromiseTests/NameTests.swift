import TestSupport
import Testing

extension Promises {
  /// A name is worth as much as the address that it has at the moment of each connection.
  @Suite(
    .timeLimit(.minutes(2)), .enabled(if: NameSpace.isPossible, "names can only be had by root"))
  struct NameTests {
    private static let size = 300_000

    /// The first address has no listener; the second one, of the same answer, is not allowed.
    @Test func thePrivateOneOfTwoAddressesIsNotConnectedTo() throws {
      let feed = try MountedFeed()
      let space = try NameSpace(of: feed)
      try serve(feed)
      try space.name([("media.test", "127.0.0.9"), ("media.test", "127.0.0.1")])
      try space.mount(allowing: "127.0.0.8/29")
      #expect(try !space.isRead(1))
      #expect(try feed.origin.log(below: "/pattern").isEmpty)
      space.end()
      // Now both addresses are tried.
      try space.mount(allowing: "127.0.0.0/8")
      #expect(try space.isRead(1))
    }

    @Test func aNameThatLeadsHomeAllOfASuddenIsNotFollowed() throws {
      let feed = try MountedFeed(originOptions: ["--address", "0.0.0.0"])
      let space = try NameSpace(of: feed)
      try serve(feed)
      try space.name([("media.test", "127.0.0.9")])
      try space.mount(allowing: "127.0.0.8/29")
      #expect(try space.isRead(1))
      space.end()
      try feed.origin.reset()
      for home in ["127.0.0.1", "0.0.0.0", "::1", "::ffff:127.0.0.1"] {
        try space.name([("media.test", home)])
        try space.mount(allowing: "127.0.0.8/29")
        #expect(try !space.isRead(2), "\(home)")
        #expect(try feed.origin.log(below: "/pattern").isEmpty, "\(home)")
        space.end()
      }
    }

    /// Serves films at a host other than the typed one.
    private func serve(_ feed: MountedFeed) throws {
      try feed.serve(
        (1...2).map { number in
          var file = PatternFile(name: "f\(number)", size: Self.size, seed: UInt64(number))
          file.url = "http://media.test:\(feed.origin.port)\(file.path)"
          return file
        })
    }
  }
}
