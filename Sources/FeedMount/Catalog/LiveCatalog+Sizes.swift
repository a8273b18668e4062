import Blocks
import Catalog
import Host
import NIOConcurrencyHelpers

/// Brings proved sizes to the kernel, as `KernelSizes` decides.
extension LiveCatalog {
  /// Calls `then` when the kernel has the proved size of `version`; with false if `thread` has to
  /// look again first.
  func settleSize(
    of version: EntryVersion, _ proved: Representation, for thread: KernelSizes.Opener,
    then: @escaping @Sendable (Bool) -> Void
  ) {
    let inode = version.inode
    learned(proved, of: inode)
    let (step, isSecondTry) = state.withLockedValue { state in
      let isSecondTry = state.sizes.isSecondTry(by: thread)
      let step = state.sizes.opens(inode, by: thread)
      switch step {
      case .wait, .tell:
        let opening = Opening(thread: thread, isSecondTry: isSecondTry, then: then)
        state.openings[inode, default: []].append(opening)
      case .answer, .lookAgain: break
      }
      return (step, isSecondTry)
    }
    switch step {
    case .answer: then(true)
    case .lookAgain: then(isSecondTry)
    case .wait: break
    case .tell(let isGreater):
      changed(.sizeProved(proved.length, of: inode, isGreater: isGreater))
    }
  }

  /// False while openers of the version with `inode` are being told its size, or have to look
  /// again: they must then find the same inode of the kernel's, since Linux looks again only once.
  func isSettled(_ inode: UInt64) -> Bool {
    state.withLockedValue { $0.sizes.isFree(inode) }
  }

  /// Notes that the size of the version with `inode` is proved. An empty version is proved by a
  /// 416, and no accepted answer has told its size.
  func learned(_ proved: Representation, of inode: UInt64) {
    guard entry(inode: inode)?.known == nil else { return }
    know(KnownBody(proved, type: nil, freshFor: .zero, at: wall.seconds), of: inode)
  }

  /// Notes that an open of the version with `inode` by `thread` was answered with ESTALE.
  func sentBack(_ thread: KernelSizes.Opener, from inode: UInt64) {
    state.withLockedValue { $0.sizes.sentBack(thread, from: inode) }
  }

  /// Notes that an open by `thread` got ESTALE, since a newer version has replaced the file.
  func turnedAway(_ thread: KernelSizes.Opener) {
    state.withLockedValue { $0.sizes.turnedAway(thread) }
  }

  /// Notes that the kernel was told the size, and lets the opens go on that waited for that.
  func told(_ inode: UInt64, hasIt: Bool) {
    let openings = state.withLockedValue { state in
      let openings = state.openings.removeValue(forKey: inode) ?? []
      state.sizes.told(inode, hasIt: hasIt, openers: openings.map(\.thread))
      return openings
    }
    for opening in openings { opening.then(hasIt || opening.isSecondTry) }
  }
}

extension LiveCatalog.State {
  /// Takes facts about the current version of `entry`, from an answer or from the cache.
  mutating func know(_ body: KnownBody, of entry: CatalogEntry) {
    if entry.known == nil {
      sizes.proved(body.length, of: entry.inode, claim: entry.claimedLength ?? 0)
    }
    catalog.edit { $0.know(body, of: entry.number) }
  }

  /// Notes the lengths that the feed claimed `before`, of entries with these numbers whose length
  /// is not proved.
  mutating func noteClaims(since before: Catalog, of numbers: [Int]) {
    for number in numbers {
      guard let old = before.entry(number: number),
        let entry = catalog.current.entry(number: number),
        entry.known == nil, entry.claimedLength != old.claimedLength
      else { continue }
      sizes.claimed(old.claimedLength ?? 0, of: entry.inode)
    }
  }
}
