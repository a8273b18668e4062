import Blocks
import Catalog
import FeedReading
import Storage

/// Finds the cached version of an entry. Blocks on the disk.
extension CacheDirectory {
  /// Returns the version that the catalog knows. If it knows none, returns the newest version in
  /// the cache, because after a kill the cache can be ahead of the catalog. Versions that the
  /// origin has replaced are skipped.
  func representation(of entry: CatalogEntry) -> Representation? {
    if let known = entry.known { return known.representation }
    return newest(of: entry.key, besides: Set(entry.replaced.map(\.representation)))
  }

  /// Returns the name of the files of the current version of `entry`; nil if no version is known.
  func name(of entry: CatalogEntry) -> String? {
    representation(of: entry).map { name(of: entry, $0) }
  }

  func name(of entry: CatalogEntry, _ representation: Representation) -> String {
    name(of: key(of: entry, representation), representation)
  }

  /// Returns how much of the current version of `entry` is on the disk.
  func holding(of entry: CatalogEntry) -> Holding {
    guard let known = representation(of: entry) else { return Holding(bytes: 0, isDurable: false) }
    return holding(key(of: entry, known), known)
  }

  /// Returns the key of a version in the cache. If the version has no validator, the key includes
  /// the address.
  func key(of entry: CatalogEntry, _ representation: Representation) -> EntryKey {
    let hasVersion = representation.validator != .none
    return EntryKey(entry: entry.key, salt: hasVersion ? "" : entry.source.url)
  }
}
