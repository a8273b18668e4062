import Blocks
import Catalog
import Host
import NIOConcurrencyHelpers

/// Brings proved sizes to the kernel, as `KernelSizes` decides.
extension LiveCatalog {
  /// Calls `then` with true when the kernel has the proved size of `version`. Calls it with false
  /// if `thread` must ask for the attributes again first.
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

  /// Returns whether no open of the version with `inode` waits for its size or must be tried again.
  /// An opener that tries again must find the same inode in the kernel, because Linux looks again
  /// only once.
  func isSettled(_ inode: UInt64) -> Bool {
    state.withLockedValue { $0.sizes.isFree(inode) }
  }

  /// Notes that the size of the version with `inode` is proved. The size of an empty version is
  /// proved by a 416, so no accepted answer has told it.
  func learned(_ proved: Representation, of inode: UInt64) {
    guard entry(inode: inode)?.known == nil else { return }
    know(KnownBody(proved, type: nil, freshFor: .zero, at: wall.seconds), of: inode)
  }

  /// Notes that the version with `inode` grows. The kernel may be told any size until its length is
  /// proved.
  func grows(_ inode: UInt64) {
    state.withLockedValue { state in
      state.sizes.claimed(0, of: inode)
      if let number = state.catalog.current.entry(inode: inode)?.number {
        state.changes.note(number, at: wall.microseconds())
      }
    }
    attributesChanged(of: inode)
  }

  /// Notes that an open of the version with `inode` by `thread` was answered with ESTALE.
  func sentBack(_ thread: KernelSizes.Opener, from inode: UInt64) {
    state.withLockedValue { $0.sizes.sentBack(thread, from: inode) }
  }

  /// Notes that an open by `thread` got ESTALE, because a newer version has replaced the file.
  func turnedAway(_ thread: KernelSizes.Opener) {
    state.withLockedValue { $0.sizes.turnedAway(thread) }
  }

  /// Notes that the kernel was told the size. The opens that waited for that go on.
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
  /// Takes facts about the current version of `entry` into the catalog. The facts come from an
  /// answer or from the cache.
  mutating func know(_ body: KnownBody, of entry: CatalogEntry) {
    if entry.known == nil {
      sizes.proved(body.length, of: entry.inode, claim: entry.claimedLength ?? 0)
    }
    catalog.edit { $0.know(body, of: entry.number) }
  }

  /// Notes the lengths that the feed claimed before. Only entries count whose length is not proved.
  mutating func note(_ claims: [FormerClaim]) {
    for claim in claims where !catalog.current.isKnown(claim.number) {
      sizes.claimed(claim.length, of: claim.inode)
    }
  }
}

/// A length that the feed claimed for an entry until its last page.
struct FormerClaim: Sendable {
  let number: Int
  let inode: UInt64
  /// Bytes; 0 if the feed claimed none.
  let length: Int

  /// Returns the former claims of the entries that a page has changed. A proved length needs none.
  static func all(
    _ before: Catalog, _ after: Catalog, _ change: CatalogChange
  ) -> [FormerClaim] {
    change.changed.compactMap { number in
      guard !after.isKnown(number), let old = before.entry(number: number),
        let new = after.entry(number: number), old.claimedLength != new.claimedLength
      else { return nil }
      return FormerClaim(number: number, inode: new.inode, length: old.claimedLength ?? 0)
    }
  }
}
