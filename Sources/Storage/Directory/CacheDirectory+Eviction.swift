import Blocks
import Locks

/// Evicts cached bytes of files that are not open.
extension CacheDirectory: CachePart {
  /// Evicts about `bytes` of the version called `name`, from its end towards its beginning. The
  /// blocks of `ends` stay. If `ends` is nil, or if the version cannot be read, the whole version
  /// is removed. If the version is open or pinned, nothing is evicted. Returns about how many bytes
  /// were evicted, and the entry's id if it could be read. Blocks on the disk.
  ///
  /// If another process has the data file open, or if the disk cannot make holes, the file is not
  /// changed. Instead it is unlinked, and the blocks that stay are copied into a new file.
  ///
  /// A rehearsal returns the same values, and changes nothing.
  func giveUp(
    _ name: String, keeping ends: RetainedEnds?, bytes: Int, isRehearsal: Bool = false
  ) -> (freed: Int, entry: String?) {
    replacing(name) {
      let header = (try? folder.file.open(name + ".idx", for: .read))
        .flatMap { try? IndexFile.header(in: $0) }
      guard let ends, let header, let file = try? load(name, matching: header, create: false)
      else {
        let stored = stored(name)
        if !isRehearsal { removeFiles(name) }
        return ((stored, header?.key.entry), nil)
      }
      let kept = ends.blocks(in: file.layout)
      let spare = file.cachedBlocks.subtracting(kept)
      guard !spare.isEmpty else { return ((0, nil), nil) }
      let runs = spare.last(bytes, in: file.layout)
      let freed = runs.reduce(0) { $0 + file.layout.bytes(of: $1).count }
      if isRehearsal { return ((freed, header.key.entry), nil) }
      if evicting(file, name, { file.punch(runs) }) { return ((freed, header.key.entry), file) }
      let pieces = pieces(of: kept, in: file)
      removeFiles(name)
      return (
        (spare.bytes(in: file.layout), header.key.entry), made(of: pieces, under: name, header)
      )
    } ?? (0, nil)
  }

  /// Returns the file under `name` if this process has it open, or is evicting bytes of it. A
  /// caller is only allowed to ask the file which blocks are cached, not to read them, because an
  /// eviction can free them at the same time.
  func knownFile(_ name: String) -> EntryFile? {
    entries.withLock { $0.open[name]?.file ?? $0.evicted[name] }
  }

  /// Runs `body`, which frees disk space of `file`. That is possible only while nobody else, this
  /// process included, has the data file open. So `file` is in `FilesInMemory.evicted` while `body`
  /// runs: `holding` asks `file`, and does not open the data file a second time.
  func evicting<Result>(_ file: EntryFile, _ name: String, _ body: () -> Result) -> Result {
    looks.holding(name) { entries.withLock { $0.evicted[name] = file } }
    defer { entries.withLock { $0.evicted[name] = nil } }
    return body()
  }

  var pendingBytes: Int {
    openFiles.reduce(0) { $0 + $1.pendingBytes }
  }

  /// Returns the bytes that the files under `name` take up on the disk.
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
    // Suspect bytes are left out, because the new file would not know that they are suspect.
    let suspects = file.suspects
    return file.layout.all.filter { block in
      blocks.contains(block) && file.cachedBlocks.contains(block)
        && !suspects.contains { $0.overlaps(file.layout.bytes(of: block)) }
    }.compactMap { block in
      let range = file.layout.bytes(of: block)
      return file.copy(of: range).map { Piece(offset: range.lowerBound, bytes: $0) }
    }
  }

  /// Makes a new file with `pieces` and returns it; nil if the disk refuses the file.
  private func made(of pieces: [Piece], under name: String, _ header: IndexHeader) -> EntryFile? {
    var header = header
    header.cleanMark = nil
    guard let file = try? load(name, matching: header, create: true) else { return nil }
    for piece in pieces { try? file.write(piece.bytes.span.bytes, at: piece.offset) }
    return file
  }
}

extension CacheLimit {
  /// Adds `directory` to the limit. `listed` returns the ids of the listed entries. An eviction
  /// leaves the ends of listed entries' files (`RetainedEnds`), and removes all other files whole.
  /// `evicted` gets the id of each entry that lost bytes. In a rehearsal it gets the ids of those
  /// that an eviction would take bytes from.
  package func join(
    _ directory: CacheDirectory, listed: @escaping @Sendable () -> [String],
    evicted: @escaping @Sendable (String) -> Void
  ) {
    add(directory, listed: listed, evicted: evicted)
  }
}

extension BlockSet {
  /// Returns the last blocks of this set as runs, the last run first: as many blocks as `bytes`
  /// fill, rounded up, or all blocks of the set if it has fewer.
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
