import Filling
package import Host
import Addresses
package import HTTP
import Storage
package import SystemPackage

/// The options of the network: the hosts that feedfs is allowed to reach, the proxy, and the
/// trusted certificates.
package struct NetworkOptions: Hashable, Codable, Sendable {
  /// Blocks of private addresses that feeds and entries are allowed to name, such as 10.0.0.0/8.
  package private(set) var allowedPrivate: [AddressBlock] = []
  package private(set) var proxies = ProxyRule()
  package private(set) var trust = Trust()
  /// The time after which a blocked read ends with an error.
  package var readTimeout: Duration = .seconds(60)

  /// The defaults.
  package init() {}

  /// Parses the texts that the user wrote.
  ///
  /// - Parameters:
  ///   - authorities: a file of certificates that TLS trusts instead of the system's; absolute.
  ///   - pins: the public keys that hosts must have, by host.
  package init(
    allowedPrivate: [String], proxies: ProxyRule, authorities: FilePath?, pins: [String: String]
  ) throws(CommandError) {
    if let authorities { try Self.check(authorities) }
    do throws(HTTPError) {
      self.allowedPrivate = try allowedPrivate.map { text throws(HTTPError) in
        try AddressBlock(parsing: text)
      }
      trust = try Trust(authorities: authorities?.string, pins: pins)
    } catch {
      throw CommandError(error)
    }
    self.proxies = proxies
  }

  /// Throws if the file has no certificate. Such a file would make every TLS connection fail, one
  /// by one.
  private static func check(_ authorities: FilePath) throws(CommandError) {
    let bytes: [UInt8]
    do throws(Errno) {
      bytes = try LocalFile.contents(authorities.string)
    } catch {
      throw CommandError(.noInput, "--cacert \(authorities): the file cannot be read (\(error))")
    }
    guard String(decoding: bytes, as: UTF8.self).contains("-----BEGIN CERTIFICATE-----") else {
      throw CommandError(
        .noInput, "--cacert \(authorities): the file has no certificate in PEM form")
    }
  }
}

extension NetworkOptions {
  /// The longest time that the kernel waits for an answer. It is longer than every other timeout,
  /// including that of a resolver.
  var answerTimeout: Duration { max(readTimeout * 2, .seconds(60)) }

  /// The time that is added to `answerTimeout` while the mount is paused.
  static let pauseTimeout = FillRules().waits.pauseTimeout

  /// Returns the configuration of a client for these feeds. The hosts of all these feeds count as
  /// typed by the user. For a request that names its feed, only the typed host of that feed counts
  /// as typed.
  func configuration(for choices: [FeedChoice]) -> HTTPConfiguration {
    let stall = min(.seconds(10), readTimeout / 4)
    let typed = Self.typed(in: choices)
    var configuration = HTTPConfiguration(
      typedHosts: Set(typed.map(\.address.host)), allowedPrivate: allowedPrivate, proxies: proxies,
      userAgent: Product.userAgent, stallTimeout: stall, connectTimeout: stall)
    configuration.typedURLs = typed
    configuration.maxConnections = DescriptorLimit.current.connections
    configuration.freeDescriptor = { DescriptorPool.ofProcess.giveUp() }
    configuration.trust = trust
    configuration.headTimeout = readTimeout
    return configuration
  }

  /// Returns the addresses that count as typed by the user because of these feeds.
  static func typed(in choices: [FeedChoice]) -> [TypedAddress] {
    choices.compactMap { choice in
      choice.list == nil
        ? choice.typed : (try? WebAddress(parsing: choice.firstPage)).map { TypedAddress($0) }
    }
  }
}
