/// Decides to which addresses the client is allowed to connect.
///
/// Strangers write feeds. Without this rule, a feed's URLs, host names and redirects could make the
/// mount send requests to the router, a cloud's metadata service or a database on loopback.
struct AddressRule: Sendable {
  /// The hosts that the user typed, in lower case. The client is allowed to reach any address under
  /// exactly these hosts.
  let typedHosts: Set<String>
  /// The blocks of private addresses that `--allow-private` allows.
  let allowed: [AddressBlock]

  /// Returns the addresses of this computer's interfaces. Services at these addresses are not meant
  /// for strangers, even if an address is public.
  var own: @Sendable () -> Set<IPAddress> = { [] }

  /// Whether the client is allowed to ask for a URL whose host is `host`. This check resolves no
  /// name, so it can refuse only an IP address or a local name.
  ///
  /// - Parameter isProxied: true if a proxy would resolve the name, so that `localhost` would be the
  ///   proxy's computer.
  func allows(host: String, isProxied: Bool) -> Bool {
    if let literal = IPAddress(parsing: host) { return allows(literal, under: host) }
    return !isProxied || !LocalNames.contain(host) || allows(LocalNames.usual, under: host)
  }

  /// Whether the client is allowed to connect to `address` for a URL whose host is `host`.
  func allows(_ address: IPAddress, under host: String) -> Bool {
    if typedHosts.contains(host) { return true }
    // An IPv6 address can contain an IPv4 address. A packet to such an address ends at the IPv4
    // address.
    let reached = address.embeddedIPv4 ?? address
    if allowed.contains(where: { $0.contains(address) || $0.contains(reached) }) { return true }
    guard !SpecialAddresses.contain(reached),
      address.isTranslated || !SpecialAddresses.contain(address)
    else { return false }
    let own = own()
    return !own.contains(address) && !own.contains(reached)
  }
}

/// The addresses that lead to no host of the public network.
///
/// IANA's special-purpose registries of IPv4 and IPv6 (RFC 6890 and its successors) say for each
/// block whether it is globally reachable. `notPublic` has the blocks that a registry does not call
/// reachable, and the blocks that are not assigned to hosts at all. `reachable` has the exceptions
/// within them.
private enum SpecialAddresses {
  static func contain(_ address: IPAddress) -> Bool {
    notPublic.contains { $0.contains(address) } && !reachable.contains { $0.contains(address) }
  }

  private static let notPublic: [AddressBlock] = [
    "0.0.0.0/8",  // this network, RFC 791
    "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16",  // private, RFC 1918
    "100.64.0.0/10",  // carrier-grade NAT, RFC 6598
    "127.0.0.0/8",  // loopback, RFC 1122
    "169.254.0.0/16",  // link-local, clouds' metadata services, RFC 3927
    "192.0.0.0/24",  // protocol assignments, RFC 6890
    "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24",  // documentation, RFC 5737
    "192.88.99.0/24",  // 6to4 relays, deprecated, RFC 7526
    "198.18.0.0/15",  // benchmarks, RFC 2544
    "224.0.0.0/4",  // multicast, RFC 5771
    "240.0.0.0/4",  // reserved and limited broadcast, RFC 1112, RFC 8190
    // Only 2000::/3 is assigned (RFC 4291 §2.4). ::/3 has the unspecified address, loopback,
    // addresses that embed IPv4, local NAT64 (RFC 8215) and discard-only (RFC 6666).
    "::/3",
    "2001::/23",  // protocol assignments, Teredo tunnels to any address, RFC 2928, RFC 4380
    "2001:db8::/32", "3fff::/20",  // documentation, RFC 3849, RFC 9637
    // SRv6 identifiers (5f00::/16, RFC 9602), unique local (RFC 4193), link-local, site-local (RFC
    // 3879), multicast.
    "4000::/2", "8000::/1",
  ].map(AddressBlock.init(constant:))

  /// The parts of the blocks in `notPublic` that the registries mark as globally reachable.
  private static let reachable: [AddressBlock] = [
    "192.0.0.9/32", "192.0.0.10/32",  // PCP and TURN anycast, RFC 7723, RFC 8155
    "2001:1::1/128", "2001:1::2/128", "2001:1::3/128",  // also DNS-SD anycast, RFC 9665
    "2001:3::/32", "2001:4:112::/48",  // AMT, AS112, RFC 7450, RFC 7535
    "2001:20::/28", "2001:30::/28",  // ORCHIDv2, drones' identities, RFC 7343, RFC 9374
  ].map(AddressBlock.init(constant:))
}

extension AddressBlock {
  fileprivate init(constant text: String) {
    do {
      try self.init(parsing: text)
    } catch {
      preconditionFailure("\(error)")
    }
  }
}
