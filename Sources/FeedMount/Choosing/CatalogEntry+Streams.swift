import Catalog
import FeedReading
import StreamFiles
import Streams

extension CatalogEntry {
  /// The addresses of the entry that are streams, as far as that is known.
  var streamAddresses: StreamAddresses {
    var addresses = StreamAddresses()
    for source in sources where source.isStream { addresses.set(.playlist, at: source.url) }
    // An address that was read as a stream stays a stream, even if the feed no longer states its
    // type.
    if known?.isStream ?? false, !media.isPage, addresses[source.url] == nil {
      addresses.set(.any, at: source.url)
    }
    return addresses
  }

  /// True if a plain file is at its address, as far as that is known: no web page, and no stream.
  var isFile: Bool { !media.isPage && streamAddresses[source.url] == nil }
}

/// The addresses of an entry that are read as streams.
struct StreamAddresses: Sendable {
  enum Kind: Sendable {
    case playlist
    /// A fragmented MP4 file.
    case file
    /// A playlist or a fragmented MP4 file. Its first bytes will show which of them it is.
    case any
  }

  private var kinds: [String: Kind] = [:]
  /// Fragmented files that cannot become streams. They are read as they are.
  private var plain: Set<String> = []

  subscript(url: String) -> Kind? { kinds[url] }

  /// Notes that a stream of this kind is at the address. Returns false if the file there is read as
  /// it is. Several fetches can find out the kind at the same time, so it can be known already.
  @discardableResult
  mutating func set(_ kind: Kind, at url: String) -> Bool {
    guard !plain.contains(url) else { return false }
    kinds[url] = kind
    return true
  }

  func isPlain(_ url: String) -> Bool { plain.contains(url) }

  /// Returns these addresses, together with the kind that `others` has for `url`.
  func keeping(_ url: String, of others: StreamAddresses) -> StreamAddresses {
    var all = self
    if others.isPlain(url) {
      all.readPlainly(url)
    } else if let kind = others[url], all[url] == nil {
      all.set(kind, at: url)
    }
    return all
  }

  /// Notes that a file is read as it is from now on.
  mutating func readPlainly(_ url: String) {
    kinds[url] = nil
    plain.insert(url)
  }
}

extension ChapterFinder {
  init(of entry: CatalogEntry) {
    let marks: [StreamChapter] = (entry.chapterMarks ?? []).compactMap { mark in
      guard !mark.title.isEmpty, (0..<1_000_000).contains(mark.start) else { return nil }
      return StreamChapter(
        start: Int((mark.start * 1000).rounded()) * 1_000_000, title: String(mark.title.prefix(200))
      )
    }.sorted { $0.start < $1.start }
    self.init(address: entry.chapters, marks: marks)
  }
}
