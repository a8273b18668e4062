import Addresses

/// Remembers the origins that want a password by Digest and not by Basic.
struct AuthSchemes {
  private var digest: Set<OriginName> = []

  /// Returns the scheme for the first request to `origin`.
  func scheme(at origin: OriginName) -> AuthScheme {
    digest.contains(origin) ? .digest : .basic
  }

  /// Notes that `origin` has asked for `scheme`.
  mutating func asked(_ origin: OriginName, for scheme: AuthScheme) {
    digest.remove(origin)
    guard scheme == .digest else { return }
    if digest.count >= Self.maxOrigins { digest = [] }
    digest.insert(origin)
  }

  private static let maxOrigins = 256
}
