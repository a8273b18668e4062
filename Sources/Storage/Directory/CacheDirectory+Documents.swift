import Blocks
import SystemPackage

/// Caches small documents of a feed's entries, such as sidecars. Each document is a file
/// `<hash>.doc`, and its checksum is in `<hash>.sum`: see `DocumentSum`.
extension CacheDirectory {
  /// Returns the cached document of `url`; nil if there is none, or if another program has changed
  /// its file. A document of an older format is set aside (`OldFile`), and the result is nil.
  /// Blocks on the disk.
  package func document(at url: String) -> [UInt8]? {
    guard let (file, size, sum) = found(at: url), let bytes = try? file.read(size, at: 0),
      bytes.count == size, sum == DocumentSum(of: bytes, at: url)
    else { return nil }
    return bytes
  }

  /// Returns the size of the cached document of `url` in bytes; nil if there is none, or if another
  /// program has changed its size. Blocks on the disk.
  package func sizeOfDocument(at url: String) -> Int? {
    found(at: url)?.size
  }

  /// Caches `document` as that of `url`. If there is no room, or if the disk refuses the document,
  /// the cache stays as it is. Then the caller must fetch the document again when it is needed
  /// next.
  ///
  /// - Parameter isNeeded: true if other cached bytes are of no use without the document. Then the
  ///   cache is allowed to exceed its limit by half of the reserve (`CacheUsage`), and later
  ///   evictions bring it below the limit again.
  package func keep(_ document: [UInt8], at url: String, isNeeded: Bool = false) {
    switch room(for: document.count) {
    case .enough: break
    case .cacheIsFull:
      guard isNeeded, limit?.hasNeededRoom(for: document.count) ?? true else { return }
    case .diskIsFull: return
    }
    let stem = Self.stem(of: url)
    let names = [stem + DocumentSum.ending, stem + ".doc"]
    do {
      // The old document stays until the new one and its checksum are completely on the disk.
      try prepare(DocumentSum(of: document, at: url).encoded, for: names[0])
      try prepare(document, for: names[1])
      for name in names { try folder.file.rename(name + Self.unfinished, to: name) }
    } catch {
      for name in names { try? folder.file.remove(name + Self.unfinished) }
    }
  }

  private func prepare(_ bytes: [UInt8], for name: String) throws(Errno) {
    try? folder.file.remove(name + Self.unfinished)
    let file = try folder.file.open(name + Self.unfinished, for: .create)
    try file.write(bytes, at: 0)
    try file.sync()
  }

  private static let unfinished = ".new"

  /// Sets aside the document of `url`, which is of an older format: see `OldFile`.
  package func setAside(documentAt url: String) {
    let stem = Self.stem(of: url)
    try? folder.file.remove(stem + DocumentSum.ending)
    folder.setAside(stem + ".doc")
  }

  /// Returns the file of the document of `url`, its size in bytes and its checksum. A document
  /// without a checksum is of an older format, and is set aside.
  private func found(at url: String) -> (file: any DiskFile, size: Int, sum: DocumentSum)? {
    let stem = Self.stem(of: url)
    guard let file = try? folder.file.open(stem + ".doc", for: .read),
      let status = try? file.status(), status.isRegular
    else { return nil }
    do throws(Errno) {
      let bytes = try folder.file.open(stem + DocumentSum.ending, for: .read)
        .read(DocumentSum.count + 1, at: 0)
      guard let sum = DocumentSum(bytes), sum.size == status.size else { return nil }
      return (file, status.size, sum)
    } catch .noSuchFileOrDirectory {
      setAside(documentAt: url)
      return nil
    } catch {
      return nil
    }
  }

  private static func stem(of url: String) -> String {
    Fingerprint(of: "document " + url).description
  }
}
