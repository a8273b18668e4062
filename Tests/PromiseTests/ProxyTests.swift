import Control
import Foundation
import Glibc
import TestSupport
import Testing

extension Promises {
  /// The proxies that the user or the environment names.
  @Suite(.timeLimit(.minutes(2))) struct ProxyTests {
    private static let size = 100_000
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
    }

    // The test origin answers requests that a proxy gets, whichever host they name.
    private var proxy: String { "http://us3r:hunter2@127.0.0.1:\(feed.origin.port)" }
    private static let dead = "127.0.0.1:1"

    /// Mounts a feed of hosts that have no address, with these variables.
    private func mount(
      _ films: [String], _ variables: [String: String], options: [String] = [],
      at url: String = "http://feeds.example/feed"
    ) throws -> (status: Int32, out: String, err: String) {
      try feed.serve(
        films.enumerated().map { index, host in
          var film = PatternFile(name: "film\(index)", size: Self.size)
          film.url = host.isEmpty ? nil : "http://\(host)\(film.path)"
          return film
        })
      let words = ["mount", url, feed.mountPoint, "--read-timeout", "4"] + options
      return try ChildProcess.run(
        feed.command(words), environment: environment(variables), timeout: .seconds(30))
    }

    private func environment(_ variables: [String: String]) -> [String: String?] {
      feed.environment.merging(variables) { $1 }
    }

    private func takeDown() {
      _ = try? feed.feedfs("unmount", "--force", feed.mountPoint)
    }

    @Test(arguments: [
      ["http_proxy": "PROXY"], ["all_proxy": "PROXY"], ["ALL_PROXY": "PROXY"],
      ["http_proxy": "PROXY", "no_proxy": "other.example,.org"],
      ["http_proxy": "PROXY", "HTTPS_PROXY": "http://127.0.0.1:1"],
    ])
    func theProxyOfTheEnvironmentIsAsked(variables: [String: String]) throws {
      let outcome = try mount(["films.example"], variables.mapValues(filled))
      #expect(outcome == (0, "", ""))
      defer { takeDown() }
      #expect(try feed.bytes(of: feed.path(1)) == Pattern.bytes(0..<Self.size, seed: 1))
      let pid = try feed.status().pid
      let shown = try [
        feed.feedfs("status", feed.mountPoint, "--json").out, contents(of: "/proc/\(pid)/cmdline"),
      ]
      for text in shown { #expect(!text.contains("hunter2")) }
    }

    @Test(arguments: [
      ["--proxy", "none"], ["--proxy", ""],
    ])
    func theEnvironmentDoesNotCountWhenTheUserSaysSo(options: [String]) throws {
      let outcome = try mount([], ["http_proxy": proxy], options: options)
      #expect(outcome.status == 75 && outcome.err.contains("name does not resolve"), "\(outcome)")
      #expect(try feed.origin.log(below: "/feed").isEmpty)
    }

    @Test func whatIsSparedIsAskedWithoutTheProxy() throws {
      let url = feed.origin.url("/feed")
      // This computer is spared by itself, and another name by the variable.
      for (url, variables) in [
        (url, ["http_proxy": Self.dead]), (url, ["ALL_PROXY": Self.dead, "NO_PROXY": "x.example"]),
      ] {
        let outcome = try mount([""], variables, at: url)
        #expect(outcome == (0, "", ""))
        #expect(try feed.bytes(of: feed.path(1)).count == Self.size)
        takeDown()
      }
      let outcome = try mount([], ["http_proxy": proxy, "no_proxy": "example, a.org"])
      #expect(outcome.status == 75 && outcome.err.contains("name does not resolve"), "\(outcome)")
    }

    /// A proxy does not open the way to addresses at home that a feed writes out.
    @Test(arguments: [
      "127.0.0.1", "127.1", "0x7f.1", "10.0.0.1", "192.168.1.1", "169.254.169.254", "[::1]",
      "[::ffff:10.0.0.1]", "localhost", "LOCALHOST.", "router.localhost",
    ])
    func aPrivateAddressIsRefusedBeforeTheProxyIsAsked(host: String) throws {
      for variables in [["http_proxy": proxy], [:]] {
        let options = variables.isEmpty ? ["--proxy", proxy] : []
        let outcome = try mount(["\(host):\(feed.origin.port)"], variables, options: options)
        #expect(outcome == (0, "", ""))
        let reader = try ChildProcess.run(["cat", feed.path(1)], timeout: .seconds(30))
        #expect(reader.status == 1 && reader.out.isEmpty, "\(host)")
        #expect(try feed.origin.log(below: "/pattern").isEmpty, "\(host)")
        takeDown()
      }
    }

    @Test func aDeadProxyIsNamedAndTheOriginNotBlamed() throws {
      for (variables, options, source) in [
        (["http_proxy": "http://us3r:hunter2@\(Self.dead)"], [], "http_proxy"),
        ([:], ["--proxy", Self.dead], "--proxy"),
        (["all_proxy": "socks5h://\(Self.dead)"], [], "all_proxy"),
      ] as [([String: String], [String], String)] {
        let outcome = try mount([], variables, options: options)
        #expect(outcome.status == 75)
        #expect(
          outcome.err
            == "feedfs: http://feeds.example/feed was not asked: the proxy \(Self.dead) (\(source)) "
            + "does not answer: connection refused\n")
      }
    }

    @Test func aVariableThatNamesNoProxyIsNamed() throws {
      for text in ["ftp://p:1", "http://", "p:99999", "http://p q", ":3128", "gopher"] {
        guard text != "gopher" else { continue }
        let outcome = try mount([], ["http_proxy": text])
        #expect(
          MountedFeed.isRefusal(outcome, 64, "http_proxy is not the address of a proxy"),
          "\(outcome)")
      }
    }

    @Test func theDoctorNamesTheVariable() throws {
      try feed.serve([PatternFile(name: "a", size: 9)])
      let command = try feed.command(["doctor", "--plain", "http://feeds.example/feed"])
      let well = try ChildProcess.run(command, environment: environment(["http_proxy": proxy]))
      #expect(
        well.out.contains("proxy: http_proxy names 127.0.0.1:\(feed.origin.port);"), "\(well)")
      #expect(!well.out.contains("hunter2"))
      let bad = try ChildProcess.run(
        command, environment: environment(["http_proxy": Self.dead]), timeout: .seconds(60))
      #expect(bad.status == 69)
      #expect(bad.out.contains("the proxy \(Self.dead) (http_proxy) does not answer"), "\(bad)")
    }

    private func filled(_ text: String) -> String { text == "PROXY" ? proxy : text }
  }
}
