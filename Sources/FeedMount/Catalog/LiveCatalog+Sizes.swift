import Blocks
import Catalog
import FeedReading
import Host
import NIOConcurrencyHelpers
import Storage

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
    if let known = entry(inode: inode)?.known {
      guard known.isMeasured, known.representation != proved else { return }
    }
    know(KnownBody(proved, type: nil, freshFor: .zero, at: wall.seconds), of: inode)
  }

  /// Takes the length that an origin has told for a file that is not open. May block on the disk.
  ///
  /// A file that is being opened gets its length by that. Two answers could tell different lengths.
  ///
  /// - Parameter url: the address that was asked.
  func measured(_ body: KnownBody, of inode: UInt64, at url: String) {
    var body = body
    body.isMeasured = true
    let measured = body
    opening.holding(inode) {
      guard version(of: inode) == nil, let entry = entry(inode: inode), entry.known == nil,
        entry.source.url == url
      else { return }
      know(measured, of: inode, at: url)
    }
    findTypicalLength()
  }

  /// Finds the length that is told for files of which nothing tells a length.
  func findTypicalLength() {
    let length = catalog.typicalLength
    state.withLockedValue { $0.typicalLengths.become(length) }
  }

  /// Notes that the version with `inode` grows. The kernel may be told any size until its length is
  /// proved.
  func grows(_ inode: UInt64) {
    state.withLockedValue { state in
      state.sizes.claimed(0, of: inode)
      if let entry = state.catalog.current.entry(inode: inode), let known = entry.known,
        known.isMeasured
      {
        state.sizes.claimed(known.length, of: inode)
        state.catalog.edit { $0.forgetMeasure(of: entry.number) }
      }
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
    if let known = entry.known {
      // The kernel was told the measured length.
      if known.isMeasured, known.length != body.length {
        sizes.proved(body.length, of: entry.inode, claim: known.length)
      }
    } else {
      noteTold(entry.likelyLength, of: entry.inode)
      sizes.proved(
        body.length, of: entry.inode, claim: entry.likelyLength ?? typicalLengths.current)
    }
    catalog.edit { $0.know(body, of: entry.number) }
  }

  /// Notes the lengths that were likely before. Only entries count whose length is not proved.
  mutating func note(_ claims: [FormerClaim]) {
    for claim in claims where !catalog.current.isKnown(claim.number) {
      noteTold(claim.length, of: claim.inode)
    }
  }

  /// Notes that the kernel may have been told this length of a file whose length is not proved; nil
  /// stands for the lengths that are told if nothing tells one.
  mutating func noteTold(_ length: Int?, of inode: UInt64) {
    if let length { return sizes.claimed(length, of: inode) }
    sizes.claimed(typicalLengths.told.lowerBound, of: inode)
    sizes.claimed(typicalLengths.told.upperBound, of: inode)
  }
}

/// The lengths that are told for files of which nothing tells a length.
struct TypicalLengths: Sendable {
  /// Bytes.
  private(set) var current: Int
  /// The range of all that were told.
  private(set) var told: ClosedRange<Int>

  init(_ length: Int) {
    current = length
    told = length...length
  }

  mutating func become(_ length: Int) {
    current = length
    told = min(told.lowerBound, length)...max(told.upperBound, length)
  }
}

/// A length that an entry probably had until the feed's last page.
struct FormerClaim: Sendable {
  let number: Int
  let inode: UInt64
  /// Bytes; nil if nothing told one.
  let length: Int?

  /// Returns the former claims of the entries that a page has changed. A proved length needs none.
  static func all(
    _ before: Catalog, _ after: Catalog, _ change: CatalogChange
  ) -> [FormerClaim] {
    change.changed.compactMap { number in
      guard !after.isKnown(number), let old = before.entry(number: number),
        let new = after.entry(number: number),
        old.known != nil || old.likelyLength != new.likelyLength
      else { return nil }
      return FormerClaim(
        number: number, inode: new.inode, length: old.known?.length ?? old.likelyLength)
    }
  }
}
