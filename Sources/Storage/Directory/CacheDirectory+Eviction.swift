import Blocks

/// Giving up what is in the cache, of files that nobody has open.
extension CacheDirectory: CachePart {
  /// Gives up `bytes` of what lies under `name`, from its tail on but for its `ends`; all of it where no
  /// ends are to be kept. Nothing where somebody has it open. Returns how many bytes have gone, about,
  /// and of which entry, where that could be told. Blocks on the disk.
  ///
  /// A file that others than this process have open, or whose disk knows no holes, is not changed: it
  /// loses its name, and of what is kept of it a new one is made.
  func giveUp(_ name: String, keeping ends: KeptEnds?, bytes: Int) -> (freed: Int, entry: String?) {
    replacing(name) {
      let header = (try? folder.file.open(name + ".idx", for: .read))
        .flatMap { try? IndexFile.header(in: $0) }
      guard let ends, let header, let file = try? load(name, matching: header, create: false)
      else {
        let stored = stored(name)
        removeFiles(name)
        return ((stored, header?.key.entry), nil)
      }
      let kept = ends.blocks(in: file.layout)
      let spare = file.held.subtracting(kept)
      guard !spare.isEmpty else { return ((0, nil), nil) }
      let runs = spare.last(bytes, in: file.layout)
      let freed = runs.reduce(0) { $0 + file.layout.bytes(of: $1).count }
      if file.punch(runs) { return ((freed, header.key.entry), file) }
      let pieces = pieces(of: kept, in: file)
      removeFiles(name)
      return (
        (spare.bytes(in: file.layout), header.key.entry), made(of: pieces, under: name, header)
      )
    } ?? (0, nil)
  }

  /// What the files under `name` take up on the disk, in bytes.
  private func stored(_ name: String) -> Int {
    [".idx", ".data"].reduce(0) { sum, ending in
      let status = try? folder.file.open(name + ending, for: .read).status()
      return sum + (status?.storedBytes ?? 0)
    }
  }

  private struct Piece {
    let offset: Int
    let bytes: [UInt8]
  }

  private func pieces(of blocks: BlockSet, in file: EntryFile) -> [Piece] {
    // In another file suspect bytes would be suspect no longer.
    let suspects = file.suspects
    return file.layout.all.filter { block in
      blocks.contains(block) && file.held.contains(block)
        && !suspects.contains { $0.overlaps(file.layout.bytes(of: block)) }
    }.compactMap { block in
      let range = file.layout.bytes(of: block)
      return file.copy(of: range).map { Piece(offset: range.lowerBound, bytes: $0) }
    }
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

extension CacheLimit {
  /// From now on the files of `directory` count as those of entries that are `listed`, or go as a
  /// whole; `evicted` is told of which entry something has gone.
  package func join(
    _ directory: CacheDirectory, listed: @escaping @Sendable () -> [String],
    evicted: @escaping @Sendable (String) -> Void
  ) {
    add(directory, listed: listed, evicted: evicted)
  }
}

extension BlockSet {
  /// The last ones that make up `bytes`, or all; the very last first.
  fileprivate func last(_ bytes: Int, in layout: BlockLayout) -> [Range<BlockIndex>] {
    var rest = (bytes + layout.blockSize - 1) / layout.blockSize
    var last: [Range<BlockIndex>] = []
    for run in runs(in: layout.all).reversed() where rest > 0 {
      let count = min(run.count, rest)
      last.append(run.upperBound.advanced(by: -count)..<run.upperBound)
      rest -= count
    }
    return last
  }
}
