package import Blocks
package import Storage
package import Streams

/// The layouts of a feed's streams, saved in the feed's cache. They contain no address and no key.
///
/// Safe from any thread; each call blocks on the disk.
package struct SavedLayouts: Sendable {
  /// Returns the document with this name; nil if there is none.
  let read: @Sendable (_ name: String) -> [UInt8]?
  /// Saves a document. If the disk refuses it, the layout must be learned again the next time.
  let write: @Sendable (_ document: [UInt8], _ name: String) -> Void
  /// Renames the document with this name, so that it is not read again, because it has an older
  /// format.
  var setAside: @Sendable (_ name: String) -> Void = { _ in }

  /// Returns the layout of a version; nil if none is saved, or if it is damaged or of another
  /// format.
  package func layout(of version: Representation) -> StreamLayout? {
    guard let name = Self.name(of: version), let bytes = read(name) else { return nil }
    if StreamLayout.isOlder(bytes) { setAside(name) }
    guard let layout = try? StreamLayout(encoded: bytes, hash: SHA256.hash),
      layout.representation == version
    else { return nil }
    return layout
  }

  func keep(_ layout: StreamLayout) {
    guard let name = Self.name(of: layout.representation),
      let bytes = try? layout.encoded(hash: SHA256.hash)
    else { return }
    write(bytes, name)
  }

  private static func name(of version: Representation) -> String? {
    guard StreamLayout.isFilm(version), case .entityTag(let tag) = version.validator else {
      return nil
    }
    return "layout " + tag
  }
}

extension SavedLayouts {
  package init(cache: CacheDirectory) {
    self.init(
      read: { cache.document(at: $0) }, write: { cache.keep($0, at: $1, isNeeded: true) },
      setAside: { cache.setAside(documentAt: $0) })
  }
}
