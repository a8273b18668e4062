import Blocks
import Catalog
import FeedReading
import Filling
import Storage

/// Makes the stores of bodies whose length is not known.
extension VersionMaker {
  /// - Parameter box: gets each store that is made.
  func growths(
    of entry: CatalogEntry, from origin: HTTPOrigin, in box: EntryStoreBox
  ) -> GrowthStores {
    let maxLength = rules.growth.maxGrowth
    return GrowthStores(
      found: { cache.growing(of: entry.key, salt: entry.source.url, maxLength: maxLength) },
      open: { body in
        let (key, version) = growing(entry, body)
        let made = open(key, version, contentType: origin.grownType)
        box.value = made
        return made
      },
      prove: { proved in
        let made = prove(proved, of: entry, from: origin, box.value)
        box.value = made
        return made
      })
  }

  /// Returns the key and the version under which the cache has a body without length.
  func growing(_ entry: CatalogEntry, _ body: Validator) -> (EntryKey, Representation) {
    let salt = body == .none ? entry.source.url : ""
    return (
      EntryKey(entry: entry.key, salt: salt, isGrowing: true),
      Representation(length: rules.growth.maxGrowth, validator: body)
    )
  }

  /// Returns the store of the version `proved`, with the bytes of `grown`.
  private func prove(
    _ proved: Representation, of entry: CatalogEntry, from origin: HTTPOrigin,
    _ grown: EntryStore?
  ) -> EntryStore {
    // The key of a version without a validator includes an address. It is the address of the
    // candidate that brought the bytes, because this candidate becomes the entry's choice. For a
    // web page it is the address of the page.
    let url = origin.isPage ? entry.source.url : origin.url
    let key = EntryKey(entry: entry.key, salt: proved.validator == .none ? url : "")
    if let file = grown?.file, proved.length > 0 {
      do throws(StorageError) {
        return store(
          try cache.prove(file, as: key, proved, contentType: origin.grownType), proved.length)
      } catch {
        complain(error.description)
      }
    }
    // Some of the bytes are only in memory, or the disk has failed. So the bytes are copied.
    let made = open(key, proved, contentType: origin.grownType)
    if let grown {
      made.copy(from: grown)
      if let file = grown.file { cache.remove(file) }
    }
    return made
  }
}
