import Addresses

/// The origins that the client asks over HTTP/3.
///
/// An origin gets such requests after it has announced HTTP/3 at its own host and port (RFC 7838).
/// Without an announcement, an attempt would delay each new connection to most origins by 100 ms.
/// No origin gets such requests if libcurl cannot speak HTTP/3, or if a proxy is used.
struct HTTP3Origins {
  typealias Instant = ContinuousClock.Instant

  private let isPossible: Bool
  private var until: [OriginName: Instant] = [:]

  init(libraryHasHTTP3: Bool, usesProxy: Bool) {
    isPossible = libraryHasHTTP3 && !usesProxy
  }

  func contains(_ origin: OriginName, at now: Instant) -> Bool {
    until[origin].map { $0 > now } ?? false
  }

  /// Takes the values of the field Alt-Svc in an answer of `origin`.
  mutating func announced(_ values: [String], by origin: OriginName, at now: Instant) {
    guard isPossible, origin.scheme == "https", !values.isEmpty else { return }
    until[origin] = nil
    let services = values.flatMap { $0.split(separator: ",") }.map(\.trimmed)
    guard let life = services.lazy.compactMap({ Self.life(of: $0, at: origin) }).first else {
      return
    }
    if until.count >= Self.maxOrigins { until = [:] }
    until[origin] = now + life
  }

  /// Notes that a request got no answer. The next request goes over an older version of HTTP.
  mutating func failed(_ origin: OriginName) {
    until[origin] = nil
  }

  /// Returns for how long `service` is valid, if it is HTTP/3 at the origin's own host and port,
  /// such as `h3=":443"; ma=3600`.
  private static func life(of service: String, at origin: OriginName) -> Duration? {
    let parts = service.split(separator: ";").map(\.trimmed)
    guard let place = parts.first,
      ["h3=\":\(origin.port)\"", "h3=\"\(origin.host):\(origin.port)\""].contains(place)
    else { return nil }
    let age = parts.dropFirst().first { $0.hasPrefix("ma=") }.map { $0.dropFirst(3) }
    guard let age else { return .seconds(24 * 3600) }
    return Decimal.parse(age).map { .seconds(min($0, 30 * 24 * 3600)) }
  }

  private static let maxOrigins = 256
}
