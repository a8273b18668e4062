import Addresses
import Markup

/// Parses XSPF playlists: `playlist/trackList/track`.
struct XSPFParser: FeedFormat {
  private var feed = Feed(kind: .xspf)
  private var entries: UnnamedEntries

  init(root: XMLNode, choice: MediaChoice) {
    entries = UnnamedEntries(choice: choice)
    feed.language = root["xml:lang"]
  }

  static let container: String? = "tracklist"

  var entryCount: Int { entries.count }

  mutating func take(_ record: XMLNode, in container: XMLNode) {
    if record.name == "track" { return takeTrack(record) }
    guard container.name == "playlist" else { return }
    switch record.name {
    case "title": feed.title = PlainText.of(record.text)
    case "info": feed.url = WebAddress.usable(record.text.nonEmpty, base: record.base)
    default: break
    }
  }

  mutating func finish() -> Feed {
    var feed = feed
    feed.setEntries(&entries, prefersIdentifier: false)
    return feed
  }

  /// Reads a track as an entry. All locations of a track are addresses of the same media.
  private mutating func takeTrack(_ track: XMLNode) {
    var draft = EntryDraft()
    for node in track.children {
      switch node.name {
      case "location":
        draft.offer(node.text.nonEmpty, base: node.base, source: .enclosure) { _ in }
      case "title": draft.title = PlainText.of(node.text)
      case "identifier": draft.guid = draft.guid ?? node.text.nonEmpty
      case "duration":
        draft.duration = FeedNumber.positiveReal(node.text).map { $0 / 1000 }  // milliseconds
      case "image": draft.thumbnail = WebAddress.usable(node.text.nonEmpty, base: node.base)
      case "info": draft.link = WebAddress.usable(node.text.nonEmpty, base: node.base)
      case "tracknum": draft.episode = FeedNumber.positive(node.text)
      default: break
      }
    }
    entries.append(draft)
  }
}
