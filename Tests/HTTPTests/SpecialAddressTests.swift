import Testing

@testable import HTTP

/// The rule against IANA's special-purpose registries, row by row.
@Suite(.timeLimit(.minutes(1)))
struct SpecialAddressTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let block: String
    let name: String
    let isReachable: Bool
    let source: String

    init(_ block: String, _ name: String, _ isReachable: Bool, _ source: String) {
      (self.block, self.name, self.isReachable, self.source) = (block, name, isReachable, source)
    }

    var testDescription: String { "\(block) \(name), \(source)" }
  }

  /// iana-ipv4-special-registry: rows with "N/A" are not marked as globally reachable.
  static let v4 = [
    Row("0.0.0.0/8", "this network", false, "RFC 791"),
    Row("0.0.0.0/32", "this host on this network", false, "RFC 1122"),
    Row("10.0.0.0/8", "private use", false, "RFC 1918"),
    Row("100.64.0.0/10", "shared address space", false, "RFC 6598"),
    Row("127.0.0.0/8", "loopback", false, "RFC 1122"),
    Row("169.254.0.0/16", "link local", false, "RFC 3927"),
    Row("172.16.0.0/12", "private use", false, "RFC 1918"),
    Row("192.0.0.0/29", "IPv4 service continuity", false, "RFC 7335"),
    Row("192.0.0.8/32", "IPv4 dummy address", false, "RFC 7600"),
    Row("192.0.0.9/32", "PCP anycast", true, "RFC 7723"),
    Row("192.0.0.10/32", "TURN anycast", true, "RFC 8155"),
    Row("192.0.0.170/32", "NAT64 and DNS64 discovery", false, "RFC 8880, RFC 7050"),
    Row("192.0.0.171/32", "NAT64 and DNS64 discovery", false, "RFC 8880, RFC 7050"),
    Row("192.0.2.0/24", "documentation (TEST-NET-1)", false, "RFC 5737"),
    Row("192.31.196.0/24", "AS112", true, "RFC 7535"),
    Row("192.52.193.0/24", "AMT", true, "RFC 7450"),
    Row("192.88.99.0/24", "6to4 relay anycast, given up", false, "RFC 7526"),
    Row("192.168.0.0/16", "private use", false, "RFC 1918"),
    Row("192.175.48.0/24", "direct delegation AS112", true, "RFC 7534"),
    Row("198.18.0.0/15", "benchmarks", false, "RFC 2544"),
    Row("198.51.100.0/24", "documentation (TEST-NET-2)", false, "RFC 5737"),
    Row("203.0.113.0/24", "documentation (TEST-NET-3)", false, "RFC 5737"),
    Row("240.0.0.0/4", "reserved", false, "RFC 1112"),
    Row("255.255.255.255/32", "limited broadcast", false, "RFC 8190, RFC 919"),
    // From the registries of multicast.
    Row("224.0.0.0/4", "multicast", false, "RFC 5771"),
  ]

  /// iana-ipv6-special-registry. Three rows hold IPv4 addresses and follow their rules: see below.
  static let v6 = [
    Row("::1/128", "loopback", false, "RFC 4291"),
    Row("::/128", "unspecified", false, "RFC 4291"),
    Row("64:ff9b:1::/48", "local IPv4-IPv6 translation", false, "RFC 8215"),
    Row("100::/64", "discard only", false, "RFC 6666"),
    Row("100:0:0:1::/64", "dummy prefix", false, "RFC 9780"),
    Row("2001::/32", "Teredo", false, "RFC 4380, RFC 8190"),
    Row("2001:1::1/128", "PCP anycast", true, "RFC 7723"),
    Row("2001:1::2/128", "TURN anycast", true, "RFC 8155"),
    Row("2001:1::3/128", "DNS-SD service registration anycast", true, "RFC 9665"),
    Row("2001:2::/48", "benchmarks", false, "RFC 5180"),
    Row("2001:3::/32", "AMT", true, "RFC 7450"),
    Row("2001:4:112::/48", "AS112", true, "RFC 7535"),
    Row("2001:10::/28", "ORCHID, given up", false, "RFC 4843"),
    Row("2001:20::/28", "ORCHIDv2", true, "RFC 7343"),
    Row("2001:30::/28", "drones' identities", true, "RFC 9374"),
    Row("2001:db8::/32", "documentation", false, "RFC 3849"),
    Row("2620:4f:8000::/48", "direct delegation AS112", true, "RFC 7534"),
    Row("3fff::/20", "documentation", false, "RFC 9637"),
    Row("5f00::/16", "SRv6 segment identifiers", false, "RFC 9602"),
    Row("fc00::/7", "unique local", false, "RFC 4193, RFC 8190"),
    Row("fe80::/10", "link local", false, "RFC 4291"),
    // From the registries of multicast and of the address space.
    Row("ff00::/8", "multicast", false, "RFC 4291"),
    Row("fec0::/10", "site local, given up", false, "RFC 3879"),
  ]

  @Test(arguments: v4 + v6) func theRuleSaysWhatTheRegistrySays(row: Row) throws {
    for address in try Self.ends(of: row.block) {
      #expect(Self.allows(address) == row.isReachable)
    }
  }

  /// In 192.0.0.0/24 and 2001::/23, only blocks with a row of their own are reachable.
  @Test(arguments: ["192.0.0.11", "192.0.0.255", "2001:1::4", "2001:5::1", "2001:1ff:ffff::1"])
  func whatIsSetAsideForProtocolsIsNotPublic(address: String) throws {
    #expect(Self.allows(try #require(IPAddress(parsing: address))) == false)
  }

  /// The addresses next to each reserved block are public.
  @Test(arguments: [
    "1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
    "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0",
    "191.255.255.255", "192.0.1.0", "192.0.3.0", "192.88.98.255", "192.88.100.0",
    "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.99.255",
    "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255", "2000::", "2001:200::",
    "2001:db7:ffff::", "2001:db9::", "2003::", "3ffe:ffff::", "3fff:1000::",
  ])
  func whatLiesBesideIsPublic(address: String) throws {
    #expect(Self.allows(try #require(IPAddress(parsing: address))))
  }

  /// ::ffff:0:0/96, 64:ff9b::/96 and 2002::/16: a packet ends at the IPv4 address inside.
  @Test(arguments: v4) func whatHoldsAnIPv4AddressIsJudgedByThat(row: Row) throws {
    for address in try Self.ends(of: row.block) {
      let bits = UInt128(address.bits)
      for outer in [0xffff << 32 | bits, 0x0064_ff9b << 96 | bits, 0x2002 << 112 | bits << 80] {
        #expect(Self.allows(IPAddress(v6: outer)) == row.isReachable)
      }
    }
  }

  /// IPv4-compatible addresses are deprecated (RFC 4291 §2.5.5.1), whatever address they hold.
  @Test(arguments: ["::8.8.8.8", "::127.0.0.1", "::192.168.0.1"])
  func anIPv4CompatibleAddressIsNotPublic(address: String) throws {
    #expect(!Self.allows(try #require(IPAddress(parsing: address))))
  }

  private static func allows(_ address: IPAddress) -> Bool {
    AddressRule(typedHosts: [], allowed: []).allows(address, under: "feed.example")
  }

  /// The first address of a block, one in its middle, and the last.
  private static func ends(of block: String) throws -> [IPAddress] {
    let parts = block.split(separator: "/")
    let first = try #require(IPAddress(parsing: String(parts[0])))
    let width = first.family == .v4 ? 32 : 128
    let rest = width - (try #require(Int(parts[1])))
    let most = (UInt128(1) << UInt128(rest)) &- 1
    return [0, most / 2, most].map {
      first.family == .v4
        ? IPAddress(v4: UInt32(first.bits | $0)) : IPAddress(v6: first.bits | $0)
    }
  }
}
