import Blocks
import SystemPackage

/// Caches small documents that belong to a feed's entries. Each is cached whole, as `<hash>.doc`, and
/// its checksum as `<hash>.sum`: see `DocumentSum`.
extension CacheDirectory {
  /// Returns the cached document of `url`; nil if there is none, or if others have changed it since.
  /// Blocks on the disk.
  package func document(at url: String) -> [UInt8]? {
    guard let (file, size, sum) = found(at: url), let bytes = try? file.read(size, at: 0),
      bytes.count == size, sum.map({ $0 == DocumentSum(of: bytes, at: url) }) ?? true
    else { return nil }
    return bytes
  }

  /// Returns the size of the cached document in bytes; nil if there is none, or if others have cut
  /// it. Blocks on the disk.
  package func sizeOfDocument(at url: String) -> Int? {
    found(at: url)?.size
  }

  /// Caches a document. If the disk refuses it, the document will be fetched again.
  package func keep(_ document: [UInt8], at url: String) {
    guard room(for: document.count) == .enough else { return }
    let stem = Self.stem(of: url)
    do {
      // The older document does not agree with the new checksum. So it counts as missing if the
      // document is not taken.
      try store(DocumentSum(of: document, at: url).encoded, as: stem + DocumentSum.ending)
      try store(document, as: stem + ".doc")
    } catch {
      return
    }
  }

  private func store(_ bytes: [UInt8], as name: String) throws(Errno) {
    let temporary = name + ".new"
    try? folder.file.remove(temporary)
    do throws(Errno) {
      let file = try folder.file.open(temporary, for: .create)
      try file.write(bytes, at: 0)
      try file.sync()
      try folder.file.rename(temporary, to: name)
    } catch {
      try? folder.file.remove(temporary)
      throw error
    }
  }

  /// Returns the file of the document and its checksum. The checksum is nil if an earlier feedfs has
  /// written the document.
  private func found(at url: String) -> (file: any DiskFile, size: Int, sum: DocumentSum?)? {
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
      return (file, status.size, nil)
    } catch {
      return nil
    }
  }

  private static func stem(of url: String) -> String {
    Fingerprint(of: "document " + url).description
  }
}
