import Addresses
import Markup

/// Makes a feed of one entry out of a document that is itself the media: an HLS playlist or a DASH
/// manifest. Whether the stream is live is found out only when the file is opened.
enum StreamDocument {
  /// - Parameter address: the address of the document; empty if it is not known.
  /// - Throws: if a mount cannot request the address, such as that of a local file.
  static func feed(
    _ kind: StreamKind, at address: String, choice: MediaChoice
  ) throws(FeedError) -> Feed {
    guard WebAddress.usable(address, base: "") != nil else {
      throw .notAFeed(looksLike: kind == .hls ? "an HLS playlist" : "a DASH manifest")
    }
    var draft = EntryDraft()
    // The id is fixed, so that the entry stays the same when the document's address changes.
    draft.guid = "stream"
    draft.title = title(of: address)
    draft.offer(address, base: "", source: .enclosure) { $0.media.type = kind.mediaType }
    var feed = Feed(kind: .stream)
    feed.title = draft.title
    var entries = UnnamedEntries([draft], choice: choice)
    feed.setEntries(&entries, prefersIdentifier: false)
    return feed
  }

  /// Returns the last part of the path without its extension, or the host if there is no path.
  private static func title(of address: String) -> String {
    let path = address.prefix { $0 != "?" && $0 != "#" }
    return PlainText.collapsed(ListingRow.title(of: PercentEncoding.decoded(String(path))))
  }
}
