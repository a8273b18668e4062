import Addresses
import FeedReading
import HTTP
import World

/// Finds the media of a web page by reading the page itself. Runs no script and no program.
///
/// Safe from any thread.
final class PageItself: MediaFinder {
  /// The size limit for an oEmbed document, in bytes.
  private static let maxEmbedBytes = 256 << 10

  private let client: any DocumentClient
  private let feed: TypedAddress?

  /// - Parameter feed: the address of the feed as the user typed it.
  init(_ client: any DocumentClient, for feed: TypedAddress?) {
    self.client = client
    self.feed = feed
  }

  func find(_ page: String) async -> FinderAnswer {
    do throws(HTTPError) {
      let document = try await document(at: page, limit: PageReader.limit)
      if let type = document.contentType?.lowercased(), isFile(document.bytes, called: type) {
        return .media(Self.file(at: document.finalURL, type))
      }
      var (media, embed) = PageReader.read(document.bytes, at: document.finalURL)
      if media.formats.isEmpty, let embed {
        let answer = try await self.document(at: embed, limit: Self.maxEmbedBytes)
        media = PageReader.read(embed: answer.bytes, at: document.finalURL)
      }
      guard media.formats.isEmpty else { return .media(media) }
      return .failed("the web page names no video; a resolver may find one (docs/feeds.md)")
    } catch {
      if case .cancelled = error { return .stopped }
      return .failed("the web page cannot be read: \(error)")
    }
  }

  /// Does nothing, because the client itself ends all requests.
  func turn(isOpen: Bool) {}

  private func document(at url: String, limit: Int) async throws(HTTPError) -> Document {
    var request = DocumentRequest(url: url, limit: limit)
    request.feed = feed
    request.takesBeginning = true
    return try await client.get(request)
  }

  /// Returns whether an answer is a media file and no web page. Its first bytes tell this, or else
  /// its type.
  private func isFile(_ bytes: [UInt8], called type: String) -> Bool {
    if BodyKind.isFilm(bytes) { return true }
    return !BodyKind.isMarkup(bytes)
      && !(type.contains("html") || type.contains("xml") || type.hasPrefix("text/"))
  }

  /// Returns the file at `url` as media, because the address led to a file and not to a web page.
  private static func file(at url: String, _ type: String) -> PageMedia {
    var media = PageMedia()
    var format = PageFormat(url: url)
    format.type = type
    media.formats = [format]
    return media
  }
}
