import Addresses

/// Decides which addresses of a host name are tried, and when the next address is tried.
///
/// libcurl tries the addresses of one kind (IPv6 or IPv4) one after the other, and waits for
/// seconds in between. So a request that has no connection after a moment gets a second try, at the
/// next address, while the first try goes on (RFC 8305 §5). Addresses that did not answer while
/// another one did are dead for some minutes, or until the network changes.
///
/// libcurl itself tries addresses of the other kind, after a head start. If the first kind loses
/// once at an origin, such as IPv6 behind a broken tunnel, it has no head start there until it wins
/// again. So a broken kind delays only one connection.
struct AddressRaces {
  typealias Instant = ContinuousClock.Instant

  private struct Place: Hashable {
    let origin: OriginName
    let address: IPAddress
  }

  private var lost: Set<OriginName> = []
  /// The dead addresses, and the times until which they count as dead.
  private var dead: [Place: Instant] = [:]

  /// Returns the time for which libcurl tries only the first kind of address (IPv6 or IPv4), before
  /// it also tries the other.
  func headStart(at origin: OriginName) -> Duration {
    lost.contains(origin) ? .milliseconds(1) : Self.usual
  }

  /// Returns the time after which the next address is tried too. It is longer if the origin answers
  /// slowly, so that each address has the time to answer.
  ///
  /// - Parameters:
  ///   - latency: the usual time until the head of an answer.
  ///   - isInTLS: whether an address has taken the connection, and the TLS handshake is not done.
  ///     The time is then longer, because TLS takes several round trips, and some hosts are silent
  ///     during it.
  static func pause(_ latency: Duration?, isInTLS: Bool = false) -> Duration {
    isInTLS ? maxPause : max(minPause, min((latency ?? .zero) * 2, maxPause))
  }

  /// Returns the addresses of `origin` that count as dead now, and are not tried.
  func dead(at origin: OriginName, _ now: Instant) -> Set<IPAddress> {
    Set(dead.lazy.filter { $0.key.origin == origin && $0.value > now }.map(\.key.address))
  }

  // MARK: Events

  /// Notes that a new connection was made.
  ///
  /// - Parameters:
  ///   - first: the kind of address (IPv6 or IPv4) that was tried first.
  ///   - winner: the kind of address of the connection.
  mutating func ended(at origin: OriginName, first: IPAddress.Family, winner: IPAddress.Family) {
    guard first != winner else {
      lost.remove(origin)
      return
    }
    if lost.count >= Self.maxAddresses { lost = [] }
    lost.insert(origin)
  }

  /// Notes that these addresses of `origin` did not answer while another one did.
  mutating func died(_ addresses: [IPAddress], at origin: OriginName, _ now: Instant) {
    for address in addresses {
      if dead.count >= Self.maxAddresses { dead = dead.filter { $0.value > now } }
      if dead.count >= Self.maxAddresses { dead = [:] }
      dead[Place(origin: origin, address: address)] = now + Self.memory
    }
  }

  /// Notes that no other address of `origin` answers, so that its dead addresses are tried again.
  mutating func revive(_ origin: OriginName) {
    dead = dead.filter { $0.key.origin != origin }
  }

  mutating func networkChanged() {
    lost = []
    dead = [:]
  }

  // MARK: Figures

  /// The usual result of `headStart`, which is libcurl's own default.
  private static let usual = Duration.milliseconds(200)
  private static let minPause = Duration.milliseconds(250)
  private static let maxPause = Duration.seconds(1)
  /// The time for which an address counts as dead.
  static let memory = Duration.seconds(300)
  /// The limit of addresses that are tried at once for one request.
  static let maxTries = 6
  private static let maxAddresses = 256
}
