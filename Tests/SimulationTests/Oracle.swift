import Blocks

@testable import Storage

/// The facts that a simulation remembers to check the promises.
struct Oracle {
  /// The cached blocks of one version.
  struct Kept {
    let representation: Representation
    var blocks: BlockSet
  }

  /// The entry of each name, by serial.
  var names: [String: Int] = [:]
  /// The cached blocks of each entry, by serial; `flushed` has the durable ones.
  var kept: [Int: Kept] = [:]
  private var flushed: [Int: Kept] = [:]
  /// Entries of which no cached blocks are expected.
  private var lost: Set<Int> = []
  /// Versions that the mount knows to be stale, by serial.
  var replaced: [Int: Set<Representation>] = [:]
  /// The inode of each entry, by number, and the version that it stood for.
  var versions: [Int: (inode: UInt64, representation: Representation?)] = [:]
  /// Serials of entries that a command has pinned, and the disk has taken it.
  var pinned: Set<Int> = []
  /// The names that the folder of entries had at the last check, and the notices about it.
  var listing: (names: [String], notices: Int)?
  /// True when the disk has failed: some cached blocks may be gone.
  var mayForget = false
  /// The number of events that may cause a request.
  var causes = 0

  /// Notes `cachedBlocks`: those in `sure` are known to be right, those in `flushed` are
  /// also durable.
  mutating func keep(
    _ serial: Int, _ representation: Representation, cachedBlocks: BlockSet, sure: BlockSet,
    flushed: BlockSet
  ) {
    guard !lost.contains(serial) else { return }
    func added(_ blocks: BlockSet, to before: Kept?) -> Kept {
      guard let before, before.representation == representation else {
        return Kept(representation: representation, blocks: blocks)
      }
      // A block that was noted before and is still held counts, even if not verified since.
      let words = (0..<max(blocks.words.count, before.blocks.words.count)).map { index in
        blocks.word(at: index) | before.blocks.word(at: index) & cachedBlocks.word(at: index)
      }
      return Kept(representation: representation, blocks: BlockSet(words: words))
    }
    kept[serial] = added(sure, to: kept[serial])
    self.flushed[serial] = added(flushed, to: self.flushed[serial])
  }

  /// The feed has changed the entry's identifier. With a new address too, it is a new entry;
  /// without a snapshot, it is an entry that the mount has never seen.
  mutating func lose(serial: Int) {
    lost.insert(serial)
    forget(serial: serial)
  }

  mutating func forget(serial: Int) {
    kept[serial] = nil
    flushed[serial] = nil
  }

  /// The resource has another version now. Forgets the blocks of all entries, also of others.
  mutating func forget(resource: Int) {
    kept = [:]
    flushed = [:]
  }

  /// Keeps only the flushed blocks.
  mutating func powerFails() {
    kept = flushed
  }

  /// Forgets the stale versions, which only that process knew.
  mutating func processIsGone() {
    replaced = [:]
    versions = [:]
    listing = nil
  }

  /// The process has ended in order, and has flushed its open files.
  mutating func processHasEnded(flushing open: [Int]) {
    processIsGone()
    for serial in open { flushed[serial] = kept[serial] }
  }
}
