import Blocks
import Feeds
import FoundationEssentials
import Glibc
import HTTP
import Storage
package import SystemPackage

/// What the texts among the options mean.
extension MountOptions {
  /// The feed's address, to be asked.
  var feedURL: String {
    (try? FeedKey.validate(feed)) ?? feed
  }

  /// Makes sure that what can be wrong in the options themselves is not.
  package func check() throws(MountError) {
    do { _ = try FeedKey(feed) } catch { throw MountError(error) }
    _ = try network()
    _ = try freeSpaceRule()
  }

  /// Where the catalog and the log of the feed are kept.
  var feedStateDirectory: FilePath {
    let key = (try? FeedKey(feed))?.value ?? feed
    return stateDirectory.appending(Fingerprint(of: key).description)
  }

  /// What the daemon has to say.
  package var logFile: FilePath {
    feedStateDirectory.appending("feedfs.log")
  }

  /// The log, at its end; one that has grown long is put aside.
  package func openLog() throws(MountError) -> FileDescriptor {
    let folder = feedStateDirectory.string
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      let size = try FileManager.default.attributesOfItem(atPath: logFile.string)[.size] as? Int
      if size ?? 0 > Self.longestLog { _ = rename(logFile.string, logFile.string + ".1") }
    } catch {
      // A log that is not there yet has no size; a folder that cannot be made is told below.
    }
    do {
      return try FileDescriptor.open(
        logFile, .writeOnly, options: [.create, .append, .closeOnExec, .noFollow],
        permissions: .ownerReadWrite)
    } catch {
      throw MountError(.cannotCreate, "\(logFile) cannot be written: \(error)")
    }
  }

  private static let longestLog = 1 << 20  // bytes

  /// What the user asks for is a lower bound; five minutes are one unless the user asks for less.
  var schedule: RefreshSchedule {
    RefreshSchedule(
      base: .seconds(refreshInterval), shortest: .seconds(min(300, refreshInterval)))
  }

  func network() throws(MountError) -> HTTPConfiguration {
    do {
      let stall = Duration.seconds(min(10, readTimeout / 4))
      return HTTPConfiguration(
        typedHosts: [try WebURL(parsing: feedURL).host],
        allowedPrivate: try allowedPrivate.map { text throws(HTTPError) in
          try AddressBlock(parsing: text)
        },
        proxy: proxy, userAgent: "feedfs/\(Mount.version)", stallTimeout: stall,
        connectTimeout: stall)
    } catch {
      throw MountError(error)
    }
  }

  /// "5%" or bytes: "500M", "10G", "1T", "0".
  func freeSpaceRule() throws(MountError) -> FreeSpaceRule {
    let text = minFree.uppercased()
    if let number = text.hasSuffix("%") ? Double(text.dropLast()) : nil, (0...100) ~= number {
      return .percent(number)
    }
    let unit = text.last.flatMap { Self.units[$0] }
    let digits = unit == nil ? text[...] : text.dropLast()
    if let number = Int(digits), number >= 0 {
      let (bytes, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
      if !overflow { return .bytes(bytes) }
    }
    throw MountError(
      .usage, "--min-free \(minFree): write it as a share of the disk (5%) or as bytes (500M, 10G)")
  }

  private static let units: [Character: Int] = [
    "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40,
  ]
}
