import Blocks

/// Giving up what is in the cache.
///
/// A file is never punched or cut: somebody may have it mapped, or read it past the daemon. It loses its
/// name instead, and what is kept of it is written into a new one.
extension CacheDirectory {
  /// Gives up what lies under `name`, all but `ends` of it, unless somebody has it open; returns
  /// whether anything has gone, and of which entry that was, where it could be told. Blocks on the disk.
  func giveUp(_ name: String, keeping ends: KeptEnds?) -> (isDone: Bool, entry: String?) {
    replacing(name) {
      let header = (try? folder.file.open(name + ".idx", for: .read))
        .flatMap { try? IndexFile.header(in: $0) }
      var kept: [Piece] = []
      if let ends, let header, let file = try? load(name, matching: header, create: false) {
        let blocks = ends.blocks(in: file.layout)
        let held = file.layout.all.filter(file.held.contains)
        guard held.contains(where: { !blocks.contains($0) }) else { return ((false, nil), nil) }
        kept = held.filter(blocks.contains).compactMap { block in
          let range = file.layout.bytes(of: block)
          return file.copy(of: range).map { Piece(offset: range.lowerBound, bytes: $0) }
        }
      }
      removeFiles(name)
      let file = header.flatMap { kept.isEmpty ? nil : made(of: kept, under: name, $0) }
      return ((true, header?.key.entry), file)
    } ?? (false, nil)
  }

  private struct Piece {
    let offset: Int
    let bytes: [UInt8]
  }

  /// A new file that holds `pieces`; nil where the disk does not take it.
  private func made(of pieces: [Piece], under name: String, _ header: IndexHeader) -> EntryFile? {
    var header = header
    header.seal = nil
    header.bootID = BootID.current
    guard let file = try? load(name, matching: header, create: true) else { return nil }
    for piece in pieces { try? file.write(piece.bytes.span.bytes, at: piece.offset) }
    return file
  }
}
