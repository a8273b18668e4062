package import Feeds
import FoundationEssentials
import HTTP
import SystemPackage

/// A feed that is looked at without mounting it.
package enum FeedPreview {
  /// - Parameters:
  ///   - place: an address, a path, or a file: URL. A file is read without any request.
  ///   - base: what the addresses in a file are relative to.
  package static func read(
    _ place: String, base: String?, allowedPrivate: [String], proxy: String?
  ) async throws(MountError) -> Feed {
    if let path = path(place) { return try file(path, base: base ?? "file://\(path)") }
    var options = MountOptions(
      feed: place, mountPoint: "/", cacheDirectory: "/", stateDirectory: "/")
    options.allowedPrivate = allowedPrivate
    options.proxy = proxy
    try options.check()
    do {
      let client = try HTTPClient(options.network())
      defer { client.shutDown() }
      let document = try await client.get(DocumentRequest(url: options.feedURL))
      return try parse(document.bytes, base: document.finalURL, place: shown(place))
    } catch let error as HTTPError {
      throw MountError(error)
    } catch {
      throw error as? MountError ?? MountError(.inputOutput, "\(error)")
    }
  }

  /// Nil: it is an address.
  private static func path(_ place: String) -> String? {
    if place.hasPrefix("file://") { return String(place.dropFirst(7)) }
    return place.contains("://")
      || FileManager.default.fileExists(atPath: place) == false
        && place.contains(":")
      ? nil : place
  }

  private static func file(_ path: String, base: String) throws(MountError) -> Feed {
    let bytes: [UInt8]
    do {
      let file = try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
      bytes = try file.closeAfter { try file.readAll() }
    } catch {
      throw MountError(.noInput, "\(path) cannot be read (\(error)); is it there, and yours?")
    }
    return try parse(bytes, base: base, place: path)
  }

  private static func parse(
    _ bytes: [UInt8], base: String, place: String
  ) throws(MountError) -> Feed {
    do {
      return try FeedParser.parse(bytes, base: base)
    } catch {
      throw MountError(.noInput, "\(place): \(error)")
    }
  }
}
