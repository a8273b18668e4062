import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(1)))
struct AddressRuleTests {
  private func allows(
    _ address: String, under host: String = "feed.example", typed: Set<String> = [],
    allowed: [String] = []
  ) throws -> Bool {
    let blocks = try allowed.map { try AddressBlock(parsing: $0) }
    let address = try #require(IPAddress(parsing: address))
    return AddressRule(typedHosts: typed, allowed: blocks).allows(address, under: host)
  }

  @Test(arguments: [
    "8.8.8.8", "1.1.1.1", "100.63.255.255", "100.128.0.0", "172.15.0.1", "172.32.0.1",
    "192.167.1.1", "223.255.255.255", "2001:4860:4860::8888", "::ffff:8.8.8.8",
    "64:ff9b::808:808", "2002:808:808::1",
    "2001:4860::5efe:8.8.8.8", "2001:200::1", "192.0.0.9", "2001:1::1", "2606:4700::1111",
  ])
  func publicAddressesAreReached(address: String) throws {
    #expect(try allows(address))
  }

  @Test(arguments: [
    "127.0.0.1", "127.255.255.255", "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1",
    "100.127.255.255", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.168.0.1",
    "198.18.0.1", "224.0.0.1", "239.255.255.255", "255.255.255.255", "::", "::1", "::7f00:1",
    "fe80::1", "fec0::1", "fc00::1", "fd12::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
    "::ffff:169.254.169.254", "64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::a00:1",
    "2002:7f00:1::", "2002:c0a8:1::1", "::ffff:0:127.0.0.1", "2001:4860::5efe:10.0.0.1",
    "2001:4860::200:5efe:a9fe:a9fe", "fe80::5efe:8.8.8.8", "2001:0:808:808::1", "192.0.0.192",
  ])
  func otherAddressesNeedTheUsersWord(address: String) throws {
    #expect(try !allows(address))
    #expect(try allows(address, under: "nas.local", typed: ["nas.local"]))
    #expect(try !allows(address, under: "feed.example", typed: ["nas.local"]))
    #expect(try allows(address, allowed: ["0.0.0.0/0", "::/0"]))
  }

  /// Addresses of this computer, in any range: their services were not meant for strangers.
  @Test(arguments: [
    "203.0.114.1", "2606:4700::1", "::ffff:203.0.114.1", "64:ff9b::203.0.114.1",
    "2002:cb00:7201::1",
  ])
  func anAddressOfAnOwnInterfaceNeedsTheUsersWord(address: String) throws {
    let own = try Set(["203.0.114.1", "2606:4700::1"].map { try #require(IPAddress(parsing: $0)) })
    let ip = try #require(IPAddress(parsing: address))
    func rule(_ own: Set<IPAddress>, _ allowed: [String] = []) throws -> AddressRule {
      AddressRule(
        typedHosts: ["nas.local"], allowed: try allowed.map { try AddressBlock(parsing: $0) },
        own: { own })
    }

    #expect(try rule([]).allows(ip, under: "feed.example"))
    #expect(try !rule(own).allows(ip, under: "feed.example"))
    #expect(try rule(own).allows(ip, under: "nas.local"))
    #expect(try rule(own, ["203.0.114.0/24", "2606::/16"]).allows(ip, under: "feed.example"))
  }

  @Test func theOwnAddressesAreThoseOfTheInterfaces() throws {
    #expect(OwnAddresses.now().contains(try #require(IPAddress(parsing: "127.0.0.1"))))
  }

  @Test func theUsersWordHoldsForExactlyOneHost() throws {
    let typed: Set = ["127.0.0.1"]

    #expect(try allows("127.0.0.1", under: "127.0.0.1", typed: typed))
    for (address, host) in [
      ("127.0.0.2", "127.0.0.2"), ("::1", "[::1]"), ("0.0.0.0", "0.0.0.0"),
      ("127.0.0.1", "localhost"), ("127.0.0.1", "127.0.0.1."),
    ] {
      #expect(try !allows(address, under: host, typed: typed))
    }
  }

  @Test(arguments: [
    ("10.0.0.0/8", "10.255.0.1", true), ("10.9.9.9/8", "10.1.1.1", true),
    ("10.0.0.0/8", "192.168.0.1", false), ("192.168.1.7", "192.168.1.7", true),
    ("192.168.1.7", "192.168.1.8", false), ("10.0.0.0/8", "::ffff:10.0.0.1", true),
    ("fd00::/8", "fd12::1", true), ("fd00::/8", "fc00::1", false), ("::1/128", "::1", true),
    ("10.0.0.0/31", "10.0.0.1", true), ("10.0.0.0/31", "10.0.0.2", false),
  ])
  func aBlockOpensItsAddresses(block: String, address: String, isAllowed: Bool) throws {
    #expect(try allows(address, allowed: [block]) == isAllowed)
  }

  @Test(arguments: [
    "", "10", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0/8", "fd00::/129",
    "host/8", "10.0.0.0/8/8", "10.0.0.0/99999999999999999999", "/8",
  ])
  func whatIsNoBlockIsSaidToBeNone(text: String) {
    #expect(throws: HTTPError.badAddressBlock(text)) { try AddressBlock(parsing: text) }
  }
}
