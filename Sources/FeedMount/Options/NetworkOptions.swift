package import Host
import Addresses
import Catalog
import FeedReading
package import HTTP
import Storage
import Streaming
package import SystemPackage

/// The options of the network: the hosts that may be reached, the proxy, and the trusted
/// certificates.
package struct NetworkOptions: Hashable, Codable, Sendable {
  /// Blocks of private addresses that feeds and entries may name, such as 10.0.0.0/8.
  package private(set) var allowedPrivate: [AddressBlock] = []
  /// The URL of the proxy; nil if there is none.
  package private(set) var proxy: String?
  package private(set) var trust = Trust()
  /// The time after which a blocked read ends with an error.
  package var readTimeout: Duration = .seconds(60)

  /// The defaults.
  package init() {}

  /// Parses the texts that the user wrote.
  ///
  /// - Parameters:
  ///   - proxy: the URL of the proxy; empty or nil for none.
  ///   - authorities: a file of certificates that TLS trusts instead of the system's; absolute.
  ///   - pins: the public keys that hosts must have, by host.
  package init(
    allowedPrivate: [String], proxy: String?, authorities: FilePath?, pins: [String: String]
  ) throws(MountError) {
    if let authorities { try Self.check(authorities) }
    do throws(HTTPError) {
      self.allowedPrivate = try allowedPrivate.map { text throws(HTTPError) in
        try AddressBlock(parsing: text)
      }
      trust = try Trust(authorities: authorities?.string, pins: pins)
    } catch {
      throw MountError(error)
    }
    self.proxy = proxy.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Throws if the file has no certificate. Such a file would make every TLS connection fail, one
  /// by one.
  private static func check(_ authorities: FilePath) throws(MountError) {
    let bytes: [UInt8]
    do throws(Errno) {
      bytes = try LocalFile.contents(authorities.string)
    } catch {
      throw MountError(.noInput, "--cacert \(authorities): it cannot be read (\(error))")
    }
    guard String(decoding: bytes, as: UTF8.self).contains("-----BEGIN CERTIFICATE-----") else {
      throw MountError(.noInput, "--cacert \(authorities): it has no certificate in PEM")
    }
  }
}

extension NetworkOptions {
  /// The longest time that the kernel waits for an answer. It is longer than every timeout, also
  /// that of a resolver.
  var patience: Duration { max(readTimeout * 2, .seconds(60)) }

  /// The time that is added to `patience` while the mount is paused.
  static let pausePatience = FillRules().pauseTimeout

  /// Returns the configuration of a client for these feeds. The user counts as having typed each
  /// host in a local file.
  func configuration(for choices: [FeedChoice]) -> HTTPConfiguration {
    let stall = min(.seconds(10), readTimeout / 4)
    let typed = choices.compactMap { choice in
      choice.list == nil
        ? choice.typed : (try? WebAddress(parsing: choice.firstPage)).map { TypedAddress($0) }
    }
    var configuration = HTTPConfiguration(
      typedHosts: Set(typed.map(\.address.host)), allowedPrivate: allowedPrivate, proxy: proxy,
      userAgent: Product.userAgent, stallTimeout: stall, connectTimeout: stall)
    configuration.typedURLs = typed
    configuration.maxConnections = DescriptorLimit.current.connections
    configuration.freeDescriptor = { DescriptorPool.ofProcess.giveUp() }
    configuration.trust = trust
    return configuration
  }
}
