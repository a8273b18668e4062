import TestSupport
import Testing

extension Promises {
  /// Strangers cannot reach the services of this computer, whatever range its addresses are in.
  @Suite(
    .timeLimit(.minutes(3)),
    .unless(TestNetwork.obstacle))
  struct OwnAddressTests {
    private static let size = 100_000
    /// With IPv6 addresses, where the kernel has it.
    private static let own =
      ["192.0.2.5", "203.0.114.1", "10.99.0.1"]
      + (contents(of: "/proc/net/if_inet6").isEmpty ? [] : ["[2a01:4f8::5]", "[fd12:3456::5]"])

    @Test func aRedirectToEachOwnInterfaceIsRefused() throws {
      let network = try TestNetwork()
      let addresses = [network.far] + Self.own
      try network.addInterface(with: Self.own)
      // A service that would answer there.
      let service = try ChildProcess(
        network.inside([
          try BuiltBinary.path("testorigin"), "--port", "0", "--address", "::",
        ]), keepsInputOpen: true)
      defer { service.killGroup() }
      #expect(service.output.wait(timeout: .seconds(20)) { $0.contains("\n") })
      let port = try #require(service.output.text.split(whereSeparator: \.isWhitespace).last)

      let feed = try MountedFeed(in: network, originOptions: ["--address", "0.0.0.0"])
      try feed.serve(
        try addresses.enumerated().map { index, address in
          var file = PatternFile(name: "film\(index)", size: Self.size, seed: 1)
          let target = "http://\(address):\(port)\(file.path)"
          try feed.origin.fault(.redirect, below: "/pattern/film\(index)", ["to": target])
          file.url = "http://\(network.near):\(feed.origin.port)\(file.path)"
          return file
        })

      try feed.mount(options: ["--read-timeout", "5"])
      for number in 1...addresses.count {
        let reader = try ChildProcess(["cat", feed.path(number)])
        #expect(reader.wait(timeout: .seconds(30)) == 1, "\(addresses[number - 1])")
        #expect(reader.output.bytes.isEmpty)
      }
      try feed.unmount()

      // With the user's permission all are read: only the rule kept them out.
      try feed.mount(options: ["--allow-private", "0.0.0.0/0", "--allow-private", "::/0"])
      for number in 1...addresses.count {
        let bytes = try feed.bytes(of: feed.path(number))
        #expect(bytes == Pattern.bytes(0..<Self.size, seed: 1), "\(addresses[number - 1])")
      }
    }
  }
}
