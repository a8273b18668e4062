/// Which addresses may be connected to.
///
/// A feed is written by strangers: without this rule its URLs, names and redirects could make the
/// mount ask the router, a cloud's metadata service or a database on loopback.
struct AddressRule: Sendable {
  /// Hosts that the user typed, in lower case; any address is reached under exactly these.
  let typedHosts: Set<String>
  /// What `--allow-private` opened.
  let allowed: [AddressBlock]

  /// Whether a connection to `address` may be made for a URL whose host is `host`.
  func allows(_ address: IPAddress, under host: String) -> Bool {
    if typedHosts.contains(host) { return true }
    let reached = address.embeddedIPv4 ?? address
    if allowed.contains(where: { $0.contains(address) || $0.contains(reached) }) { return true }
    return !Self.notPublic.contains { $0.contains(reached) || $0.contains(address) }
  }

  /// The special-purpose registries of RFC 6890, as far as something may answer there.
  private static let notPublic: [AddressBlock] = [
    "0.0.0.0/8",  // this host
    "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16",  // private
    "100.64.0.0/10",  // carrier-grade NAT
    "127.0.0.0/8",  // loopback
    "169.254.0.0/16",  // link-local, clouds' metadata services
    "192.0.0.0/24", "198.18.0.0/15",  // protocol assignments, benchmarks
    "224.0.0.0/4", "240.0.0.0/4",  // multicast, reserved and broadcast
    "::/96",  // unspecified, loopback, IPv4-compatible
    "2001::/23",  // protocol assignments, Teredo's tunnels to wherever they say
    "64:ff9b:1::/48",  // local NAT64
    "fc00::/7", "fe80::/10", "fec0::/10",  // unique local, link-local, site-local
    "ff00::/8",  // multicast
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
