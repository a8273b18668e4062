import Catalog
import FeedReading

extension CatalogEntry {
  /// The addresses of the entry that are streams, as far as that is known.
  var streamAddresses: StreamAddresses {
    var addresses = StreamAddresses()
    for source in sources where source.isStream { addresses.set(.playlist, at: source.url) }
    // An address that was a stream's is one still after its type has gone from the feed.
    if known?.isStream ?? false, !media.isPage, addresses[source.url] == nil {
      addresses.set(.any, at: source.url)
    }
    return addresses
  }
}

/// The addresses of an entry that are read as streams.
struct StreamAddresses: Sendable {
  enum Kind: Sendable {
    case playlist
    /// A fragmented MP4 file.
    case file
    /// A playlist or a fragmented MP4 file.
    case any
  }

  private var kinds: [String: Kind] = [:]
  /// Fragmented files of which no stream can be made. They are read as they are.
  private var plain: Set<String> = []

  subscript(url: String) -> Kind? { kinds[url] }

  /// Returns whether the address was of no kind before.
  @discardableResult
  mutating func set(_ kind: Kind, at url: String) -> Bool {
    guard !plain.contains(url) else { return false }
    return kinds.updateValue(kind, forKey: url) == nil
  }

  func isPlain(_ url: String) -> Bool { plain.contains(url) }

  /// Has a fragmented file be read as it is. Returns false for other addresses.
  mutating func readPlainly(_ url: String) -> Bool {
    guard kinds[url] == .file else { return false }
    kinds[url] = nil
    plain.insert(url)
    return true
  }
}
