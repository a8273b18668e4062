import Addresses

/// Remembers the origins whose first kind of address does not answer, such as IPv6 behind a broken
/// tunnel.
///
/// libcurl connects to the first kind, and to the other kind after a head start (RFC 8305). The
/// first kind loses its head start at an origin where it has lost once, until it wins again or the
/// network changes. So it costs the head start once, and not with each connection.
struct AddressRaces {
  private var lost: Set<OriginName> = []

  /// Returns the time that the first kind of address has before the other is tried too.
  func headStart(at origin: OriginName) -> Duration {
    lost.contains(origin) ? .milliseconds(1) : Self.usual
  }

  /// Notes that a new connection came about.
  ///
  /// - Parameters:
  ///   - first: the kind of address that was tried first.
  ///   - winner: the kind of address of the connection.
  mutating func ended(at origin: OriginName, first: IPAddress.Family, winner: IPAddress.Family) {
    guard first != winner else {
      lost.remove(origin)
      return
    }
    if lost.count >= Self.most { lost = [] }
    lost.insert(origin)
  }

  mutating func networkChanged() {
    lost = []
  }

  /// libcurl's own default.
  private static let usual = Duration.milliseconds(200)
  private static let most = 256
}
