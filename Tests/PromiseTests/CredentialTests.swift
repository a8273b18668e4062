import Glibc
import TestSupport
import Testing

extension Promises {
  /// Credentials go only to the scheme, host and port they were given for, however an address leads
  /// elsewhere.
  @Suite(.timeLimit(.minutes(2))) struct CredentialTests {
    private static let size = 300_000

    private let feed: MountedFeed
    /// An origin with the same host and another port.
    private let other: OriginProcess

    init() throws {
      feed = try MountedFeed(originOptions: ["--address", "0.0.0.0"])
      other = try OriginProcess()
    }

    /// The place where a user puts the credentials of an origin.
    enum Way: CaseIterable, Sendable {
      case userinfo, netrc, headers

      /// The header field with the credentials, and its value.
      var sent: (name: String, value: String) {
        switch self {
        case .userinfo, .netrc: ("authorization", "Basic dXMzcjpodW50ZXIy")
        case .headers: ("x-key", "hunter2")
        }
      }
    }

    /// The way in which a film's address, at the feed's origin, leads to another origin.
    private struct Shape {
      let name: String
      var code = 302
      var hops = 1
      var to: String
      /// False if `to` is no valid address.
      var arrives = true
    }

    private var shapes: [Shape] {
      let there = "127.0.0.1:\(other.port)"
      return [301, 302, 303, 307, 308].map { code in
        Shape(name: "s\(code)", code: code, to: "http://\(there)\(target("s\(code)"))")
      } + [
        Shape(name: "relative", to: "//\(there)\(target("relative"))"),
        Shape(name: "far", hops: 4, to: "http://\(there)\(target("far"))"),
        Shape(name: "userinfo", to: "http://us3r:hunter2@\(there)\(target("userinfo"))"),
        Shape(name: "back", to: "http://\(there)/pattern/hop-1"),
        Shape(name: "host", to: "http://127.0.0.2:\(feed.origin.port)\(target("host"))"),
        Shape(name: "slash", to: "http:\\\\\(there)\(target("slash"))", arrives: false),
        Shape(name: "at", to: "http://127.0.0.1@\(there)\(target("at"))"),
      ]
    }

    private func target(_ name: String) -> String {
      "/pattern/to-\(name).mp4?size=\(Self.size)&seed=9"
    }

    @Test(arguments: Way.allCases)
    func noWayToAnotherOriginTakesThemAlong(way: Way) throws {
      try lead()
      try configure(way)
      try feed.mountSubscriptions()
      for (index, shape) in shapes.enumerated() where shape.arrives {
        let path = feed.mountPoint + "/main/" + (index < 9 ? "000" : "00") + "\(index + 1).mp4"
        #expect(try feed.bytes(of: path) == Pattern.bytes(0..<Self.size, seed: 9), "\(shape.name)")
      }
      #expect(try feed.bytes(of: feed.mountPoint + "/moved/0001.mp4").count == Self.size)

      let own = try feed.origin.log().filter { !$0.path.hasPrefix("/__") }
      let (mine, foreign) = (
        own.filter { $0.headers["host"]?.hasPrefix("127.0.0.1:") ?? false },
        own.filter { $0.headers["host"]?.hasPrefix("127.0.0.2:") ?? false }
      )
      // The credentials do reach their own origin.
      #expect(mine.filter { $0.path == "/feed" }.allSatisfy { has(way, $0) } && !mine.isEmpty)
      #expect(mine.filter { $0.path.hasPrefix("/pattern/s30") }.count == 5)
      #expect(mine.filter { $0.path.hasPrefix("/pattern/") }.allSatisfy { has(way, $0) })
      let strange = try other.log() + foreign
      #expect(foreign.count > 0 && strange.count >= shapes.count)
      for request in strange {
        let secrets = request.headers.filter { isSecret($0.key, $0.value) }
        #expect(secrets.isEmpty, "\(request.path): \(secrets)")
        #expect(!request.target.contains("hunter2"))
      }
      // The cookies of a feed end with its refresh: its films get none.
      #expect(own.allSatisfy { $0.headers["cookie"] == nil })
    }

    @Test(arguments: [
      (mode_t(0o644), "others may read it"), (0o640, "others may read it"),
      (0o606, "others may read it"),
    ])
    func aNetrcThatOthersMayReadIsNotBelieved(mode: mode_t, words: String) throws {
      try feed.serve([PatternFile(name: "a", size: Self.size)])
      try feed.write("machine 127.0.0.1 login us3r password hunter2", to: ".netrc", mode: mode)
      let outcome = try feed.feedfs(
        "mount", feed.mountPoint, "--feed", feed.origin.url("/feed"))
      #expect(MountedFeed.isRefusal(outcome, 77, words), "\(outcome)")
      #expect(!outcome.err.contains("hunter2"))
      #expect(try feed.origin.log().isEmpty)
      // A bad .netrc does not hold up a host that it does not name.
      try feed.write("machine e.org login us3r password hunter2", to: ".netrc", mode: mode)
      #expect(try feed.feedfs("feed", "show", feed.origin.url("/feed")).status == 0)
    }

    @Test(.enabled(if: geteuid() == 0, "needs root to give a file away"))
    func aNetrcOfAnotherUserIsNotBelieved() throws {
      try feed.write("machine 127.0.0.1 login us3r password hunter2", to: ".netrc")
      chown(feed.folder + "/.netrc", 65534, 65534)
      let outcome = try feed.feedfs("feed", "show", feed.origin.url("/feed"))
      #expect(MountedFeed.isRefusal(outcome, 77, "belongs to user 65534"), "\(outcome)")
      #expect(try feed.origin.log().isEmpty)
    }

    // MARK: Private

    /// Sets up the origins: each film of the feed leads away in its own way.
    private func lead() throws {
      let cookie = ["Set-Cookie": "s=planted; Path=/"]
      for shape in shapes {
        try feed.origin.fault(
          .redirect, below: "/pattern/\(shape.name).mp4",
          ["to": shape.to, "code": "\(shape.code)", "hops": "\(shape.hops)"])
      }
      try other.fault(
        .redirect, below: "/pattern/hop-1", ["to": feed.origin.url("/pattern/hop-2")])
      try feed.origin.fault(
        .redirect, below: "/pattern/hop-2", ["to": other.url(target("back"))])
      try feed.serve(shapes.map { PatternFile(name: $0.name, size: Self.size) })
      let document = try ChildProcess.run(["curl", "-sf", feed.origin.url("/feed")]).out
      try feed.origin.put(document, at: "/feed", type: "application/rss+xml", headers: cookie)
      try other.put(
        "<rss version='2.0'><channel><title>moved</title><item><enclosure type='video/mp4' url='"
          + other.url("/pattern/m.mp4?size=\(Self.size)&amp;seed=9") + "'/></item></channel></rss>",
        at: "/moved", type: "application/rss+xml", headers: cookie)
      try feed.origin.fault(.redirect, below: "/moved", ["to": other.url("/moved")])
      try feed.origin.reset()
    }

    private func configure(_ way: Way) throws {
      let userinfo = way == .userinfo ? "us3r:hunter2@" : ""
      let headers = way == .headers ? "headers = { X-Key = \"hunter2\" }" : ""
      let feeds = [("main", "/feed"), ("moved", "/moved")].map { name, path in
        """
        [[feed]]
        url = "http://\(userinfo)127.0.0.1:\(feed.origin.port)\(path)"
        name = "\(name)"
        \(headers)
        """
      }
      try feed.write(
        "allow-private = [\"127.0.0.0/8\"]\n" + feeds.joined(separator: "\n"),
        to: MountedFeed.configuration)
      if way == .netrc {
        try feed.write("machine 127.0.0.1 login us3r password hunter2\n", to: ".netrc")
      }
    }

    private func has(_ way: Way, _ request: LoggedRequest) -> Bool {
      request.headers[way.sent.name] == way.sent.value
    }

    private func isSecret(_ name: String, _ value: String) -> Bool {
      ["authorization", "x-key", "cookie"].contains(name) || value.contains("hunter2")
        || value.contains("dXMzcjpodW50ZXIy")
    }
  }
}
