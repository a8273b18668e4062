import Blocks
import FeedReading
import FoundationEssentials
import Glibc
import HTTP
import Storage
import Streaming
package import SystemPackage

/// Parses the options that are texts.
extension MountOptions {
  /// Throws if the options are wrong in themselves.
  package func check() throws(MountError) {
    for choice in feeds {
      let key: FeedKey
      do { key = try FeedKey(choice.address) } catch { throw MountError(error) }
      guard key.path == nil else { continue }
      do throws(HTTPError) {
        _ = try WebURL(parsing: choice.firstPage)
        _ = try choice.fields()
      } catch { throw MountError(error) }
    }
    try checkAuthorities()
    _ = try network(for: feeds)
    _ = try freeSpaceRule()
    _ = try cacheLimit()
    _ = try rate()
  }

  /// Throws if the file has no certificate: it would make every TLS connection fail, one by one.
  private func checkAuthorities() throws(MountError) {
    guard let authorities else { return }
    do {
      let bytes = try LocalFile.contents(authorities.string)
      guard String(decoding: bytes, as: UTF8.self).contains("-----BEGIN CERTIFICATE-----") else {
        throw MountError(.noInput, "--cacert \(authorities): it has no certificate in PEM")
      }
    } catch let error as MountError {
      throw error
    } catch {
      throw MountError(.noInput, "--cacert \(authorities): it cannot be read (\(error))")
    }
  }

  /// Returns the directory of a feed's catalog.
  func stateDirectory(of choice: FeedChoice) -> FilePath {
    stateDirectory(named: Self.key(of: choice))
  }

  /// The log of the daemon: beside the catalog of its only feed, else in a directory of its own.
  package var logFile: FilePath {
    stateDirectory(named: feeds.map(Self.key).joined(separator: "\n")).appending("feedfs.log")
  }

  /// Opens the log for appending; moves a log of more than `longestLog` aside first.
  package func openLog() throws(MountError) -> FileDescriptor {
    do {
      try OwnDirectory.check(stateDirectory)
      return try LogFile.open(
        logFile.lastComponent?.string ?? "feedfs.log", in: logFile.removingLastComponent(),
        longest: Self.longestLog)
    } catch {
      throw MountError(error)
    }
  }

  private static let longestLog = 1 << 20  // bytes

  private func stateDirectory(named key: String) -> FilePath {
    stateDirectory.appending(Fingerprint(of: key).description)
  }

  private static func key(of choice: FeedChoice) -> String {
    (try? FeedKey(choice.address))?.value ?? choice.address
  }

  /// The limit of all origins together, in bytes a second; nil: unlimited.
  func rate() throws(MountError) -> Int? {
    try limitRate.flatMap { text throws(MountError) in
      try Self.rate(text) { "--limit-rate \(text): write it" }
    }
  }

  /// Parses "2M" or "off", as bytes a second; nil: unlimited.
  ///
  /// - Parameter what: returns the start of the message that tells how to write a rate.
  package static func rate(
    _ text: String, _ what: () -> String
  ) throws(MountError) -> Int? {
    if ["off", "unlimited", "0"].contains(text.lowercased()) { return nil }
    if let bytes = bytes(text.uppercased()) { return bytes }
    throw MountError(.usage, "\(what()) as bytes a second (500K, 2M), or as \"off\"")
  }

  /// The longest time that the kernel waits for an answer: longer than every timeout, a resolver's
  /// included.
  var patience: Duration { max(.seconds(2 * readTimeout), .seconds(60)) }

  /// The time that is added to `patience` while the mount is paused.
  static let pausePatience = FillRules().pauseTimeout

  /// Returns the settings of the network. A user who writes an address, or a list of addresses,
  /// into a local file has typed its host too.
  func network(for choices: [FeedChoice]) throws(MountError) -> HTTPConfiguration {
    do {
      let stall = Duration.seconds(min(10, readTimeout / 4))
      let typed = choices.compactMap { choice in
        choice.list == nil ? choice.typed : try? WebURL(parsing: choice.firstPage)
      }
      var configuration = HTTPConfiguration(
        typedHosts: Set(typed.map(\.host)),
        allowedPrivate: try allowedPrivate.map { text throws(HTTPError) in
          try AddressBlock(parsing: text)
        },
        proxy: proxy.flatMap { $0.isEmpty ? nil : $0 }, userAgent: Product.userAgent,
        stallTimeout: stall,
        connectTimeout: stall)
      configuration.typedURLs = typed
      configuration.mostConnections = DescriptorLimit.current.connections
      configuration.freeDescriptor = { DescriptorPool.ofProcess.giveUp() }
      configuration.trust = try Trust(authorities: authorities?.string, pins: pins)
      return configuration
    } catch {
      throw MountError(error)
    }
  }

  /// Parses "5%" or bytes: "500M", "10G", "1T", "0".
  func freeSpaceRule() throws(MountError) -> FreeSpaceRule {
    let text = minFree.uppercased()
    if let number = text.hasSuffix("%") ? Double(text.dropLast()) : nil, (0...100) ~= number {
      return .percent(number)
    }
    if let bytes = Self.bytes(text) { return .bytes(bytes) }
    throw MountError(
      .usage, "--min-free \(minFree): write it as a share of the disk (5%) or as bytes (500M, 10G)")
  }

  /// The bytes that the cache may take up; nil: unlimited.
  func cacheLimit() throws(MountError) -> Int? {
    let text = cacheSize.uppercased()
    if text == "UNLIMITED" { return nil }
    if let bytes = Self.bytes(text) { return bytes }
    throw MountError(
      .usage, "--cache-size \(cacheSize): write it as bytes (500M, 20G), or as \"unlimited\"")
  }

  /// Parses "500M", "10G", "1T" or "0"; nil for other texts.
  package static func bytes(_ text: String) -> Int? {
    let text = text.uppercased()
    let unit = text.last.flatMap { units[$0] }
    guard let number = Int(unit == nil ? text[...] : text.dropLast()), number >= 0 else {
      return nil
    }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
    return overflow ? nil : bytes
  }

  private static let units: [Character: Int] = [
    "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40,
  ]
}
