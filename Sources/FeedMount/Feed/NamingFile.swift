import Catalog
import FeedReading
import Host
import Storage
import SystemPackage

/// Remembers where the names of a feed's files come from, beside the feed's catalog. An earlier feedfs
/// knows nothing of it, and saves a catalog that does not say so.
struct NamingFile: Sendable {
  private let file: SnapshotFile

  /// - Parameter directory: the state of the feed.
  init(in directory: FilePath, on disk: Disk) {
    file = SnapshotFile(in: directory, name: "names", on: disk)
  }

  /// Calls the files of the catalog as the user wants, or else as before. New names are saved first.
  ///
  /// - Throws: if they cannot be saved. Then the files keep their names.
  func name(
    _ catalog: inout Catalog, as wanted: FileNaming?, savedTo snapshot: SnapshotFile
  ) throws(StorageError) {
    guard let naming = wanted ?? (catalog.hasNaming ? nil : remembered) else { return }
    var named = catalog
    if named.call(by: naming) {
      let pieces = named.snapshot
      try snapshot.write(pieces: pieces.count) { pieces[$0] }
    }
    catalog = named
  }

  /// Remembers where the names come from. If the disk does not take it, nothing is lost as long as no
  /// earlier feedfs comes.
  func remember(_ naming: FileNaming) {
    guard naming != remembered ?? .number else { return }
    try? file.write(Array(naming.rawValue.utf8))
  }

  private var remembered: FileNaming? {
    let text = (try? file.read { String(decoding: $0, as: UTF8.self) }) ?? nil
    return text.flatMap(FileNaming.init)
  }
}
