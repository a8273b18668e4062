/// Which addresses may be connected to.
///
/// A feed is written by strangers: without this rule its URLs, names and redirects could make the
/// mount ask the router, a cloud's metadata service or a database on loopback.
struct AddressRule: Sendable {
  /// Hosts that the user typed, in lower case; any address is reached under exactly these.
  let typedHosts: Set<String>
  /// What `--allow-private` opened.
  let allowed: [AddressBlock]

  /// The addresses of this computer's interfaces: whatever their range, services answer there that were
  /// not meant for strangers.
  var own: @Sendable () -> Set<IPAddress> = { [] }

  /// Whether a connection to `address` may be made for a URL whose host is `host`.
  func allows(_ address: IPAddress, under host: String) -> Bool {
    if typedHosts.contains(host) { return true }
    // A packet to an address with an IPv4 one inside ends there.
    let reached = address.embeddedIPv4 ?? address
    if allowed.contains(where: { $0.contains(address) || $0.contains(reached) }) { return true }
    guard !SpecialAddresses.contain(reached),
      address.isTranslated || !SpecialAddresses.contain(address)
    else { return false }
    let own = own()
    return !own.contains(address) && !own.contains(reached)
  }
}
