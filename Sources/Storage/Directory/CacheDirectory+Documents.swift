import Blocks

/// Caches small documents that belong to a feed's entries. Each is cached whole, as `<hash>.doc`.
extension CacheDirectory {
  /// Returns the cached document of `url`; nil if there is none. Blocks on the disk.
  package func document(at url: String) -> [UInt8]? {
    guard let file = try? folder.file.open(Self.name(of: url), for: .read),
      let status = try? file.status(), status.isRegular
    else { return nil }
    return try? file.read(status.size, at: 0)
  }

  /// Returns the size of the cached document in bytes; nil if there is none.
  package func sizeOfDocument(at url: String) -> Int? {
    guard let file = try? folder.file.open(Self.name(of: url), for: .read),
      let status = try? file.status(), status.isRegular
    else { return nil }
    return status.size
  }

  /// Caches a document. If the disk refuses it, the document will be fetched again.
  package func keep(_ document: [UInt8], at url: String) {
    guard room(for: document.count) == .enough else { return }
    let name = Self.name(of: url)
    let temporary = name + ".new"
    try? folder.file.remove(temporary)
    do {
      let file = try folder.file.open(temporary, for: .create)
      try file.write(document, at: 0)
      try file.sync()
      try folder.file.rename(temporary, to: name)
    } catch {
      try? folder.file.remove(temporary)
    }
  }

  private static func name(of url: String) -> String {
    Fingerprint(of: "document " + url).description + ".doc"
  }
}
