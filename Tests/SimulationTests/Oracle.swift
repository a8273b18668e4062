import Blocks

@testable import Storage

/// What a simulation remembers, to tell whether promises are kept.
struct Oracle {
  /// Blocks of one representation that are kept.
  struct Kept {
    let representation: Representation
    var blocks: BlockSet
  }

  /// What each name stands for, by the entry's serial.
  var names: [String: Int] = [:]
  /// What the cache has of each entry, by serial; and what of it is on the disk.
  var kept: [Int: Kept] = [:]
  private var flushed: [Int: Kept] = [:]
  /// Of these nothing is expected to be kept.
  private var lost: Set<Int> = []
  /// Versions of which the mount was told that the origin has them no more.
  var replaced: [Int: Set<Representation>] = [:]
  /// The disk has failed: some of what was kept may be gone.
  var mayForget = false
  /// Everything that may cause a request.
  var causes = 0

  /// The cache has `held`, and knows of those `sure` that they are right, and on the disk of `flushed`.
  mutating func keep(
    _ serial: Int, _ representation: Representation, held: BlockSet, sure: BlockSet,
    flushed: BlockSet
  ) {
    guard !lost.contains(serial) else { return }
    func added(_ blocks: BlockSet, to before: Kept?) -> Kept {
      guard let before, before.representation == representation else {
        return Kept(representation: representation, blocks: blocks)
      }
      // What was kept and is held is kept, though nobody has looked at it since.
      let words = (0..<max(blocks.words.count, before.blocks.words.count)).map { index in
        blocks.word(at: index) | before.blocks.word(at: index) & held.word(at: index)
      }
      return Kept(representation: representation, blocks: BlockSet(words: words))
    }
    kept[serial] = added(sure, to: kept[serial])
    self.flushed[serial] = added(flushed, to: self.flushed[serial])
  }

  /// The feed calls it otherwise: with another address as well it is another entry, and without a
  /// snapshot it is one that was never seen.
  mutating func lose(serial: Int) {
    lost.insert(serial)
    forget(serial: serial)
  }

  mutating func forget(serial: Int) {
    kept[serial] = nil
    flushed[serial] = nil
  }

  /// What lies there is another version now; of which entries it is does not matter.
  mutating func forget(resource: Int) {
    kept = [:]
    flushed = [:]
  }

  /// Only what was flushed is left.
  mutating func powerFails() {
    kept = flushed
  }

  /// What it was told may be forgotten with it.
  mutating func processIsGone() {
    replaced = [:]
  }

  /// It has flushed what it had open.
  mutating func processHasEnded(flushing open: [Int]) {
    processIsGone()
    for serial in open { flushed[serial] = kept[serial] }
  }
}
