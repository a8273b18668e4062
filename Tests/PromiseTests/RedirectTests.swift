import Glibc
import TestSupport
import Testing

extension Promises {
  /// Redirects are followed up to a limit, and never to a private address that the user has not
  /// allowed.
  @Suite(.timeLimit(.minutes(3))) struct RedirectTests {
    private static let size = 1 << 20
    private static let target = "/pattern/target.mp4?size=\(size)&seed=1"

    /// The way in which a film's address leads to 127.0.0.2, which is not the typed host.
    enum Detour: CaseIterable, Sendable {
      case enclosure, redirect
    }

    @Test(arguments: DriveKind.all, [1, 5, 20])
    func aChainOfRedirectsLeadsToTheFilm(on drive: DriveKind, hops: Int) throws {
      let feed = try redirected(on: drive, hops: hops)
      #expect(try feed.bytes(of: feed.path(1)) == Pattern.bytes(0..<Self.size, seed: 1))
      // The target is remembered: the chain is not walked for each range.
      #expect(try feed.origin.log(below: "/pattern/a").count == 1)
    }

    @Test(arguments: DriveKind.all) func twentyOneRedirectsAreTooMany(on drive: DriveKind) throws {
      let feed = try redirected(on: drive, hops: 21)
      try expectError(feed)
      #expect(try feed.origin.log(below: "/pattern/target").isEmpty)
    }

    @Test(arguments: DriveKind.all, Detour.allCases)
    func aPrivateAddressThatNobodyTypedIsNotAsked(on drive: DriveKind, detour: Detour) throws {
      let feed = try detoured(on: drive, detour, options: [])
      try expectError(feed)
      #expect(try feed.origin.log(below: "/pattern/target").isEmpty)
    }

    @Test(arguments: DriveKind.all, Detour.allCases)
    func aPrivateAddressThatIsAllowedIsAsked(on drive: DriveKind, detour: Detour) throws {
      let feed = try detoured(on: drive, detour, options: ["--allow-private", "127.0.0.0/8"])
      #expect(try feed.bytes(of: feed.path(1)) == Pattern.bytes(0..<Self.size, seed: 1))
    }

    private func redirected(on drive: DriveKind, hops: Int) throws -> any Drive {
      let feed = try drive.drive()
      try feed.serve([PatternFile(name: "a", size: Self.size)])
      try feed.origin.fault(
        .redirect, below: "/pattern/a", ["hops": "\(hops)", "to": Self.target])
      try feed.mount(options: ["--read-timeout", "5"])
      return feed
    }

    private func detoured(
      on drive: DriveKind, _ detour: Detour, options: [String]
    ) throws -> any Drive {
      let feed = try drive.drive(originOptions: ["--address", "0.0.0.0"])
      let elsewhere = "http://127.0.0.2:\(feed.origin.port)\(Self.target)"
      var film = PatternFile(name: "a", size: Self.size)
      switch detour {
      case .enclosure: film.url = elsewhere
      case .redirect:
        try feed.origin.fault(.redirect, below: "/pattern/a", ["to": elsewhere])
      }
      try feed.serve([film])
      try feed.mount(options: ["--read-timeout", "5"] + options)
      return feed
    }

    private func expectError(_ feed: any Drive) throws {
      #expect(try feed.reading(of: feed.path(1)).end(.seconds(30)) == .failed(EIO))
      #expect(try feed.isServed)
    }
  }
}
