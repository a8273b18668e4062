import Blocks
import Catalog
import FeedReading
import Filling
import Host
import Locks
import Storage
import World

/// Tells the kernel proved sizes, as `KernelSizes` decides.
extension LiveCatalog {
  /// Calls `then` with true when the kernel has the proved size of `version`. Calls it with false
  /// if `thread` must ask for the attributes again first.
  func settleSize(
    of version: EntryVersion, _ proved: Representation, for thread: KernelSizes.Opener,
    then: @escaping @Sendable (Bool) -> Void
  ) {
    learned(proved, of: version.inode)
    let isSecondTry = state.withLock { $0.sizes.isSecondTry(by: thread) }
    settle(version, proved.length, for: thread, isSecondTry, then)
  }

  private func settle(
    _ version: EntryVersion, _ length: Int, for thread: KernelSizes.Opener, _ isSecondTry: Bool,
    _ then: @escaping @Sendable (Bool) -> Void
  ) {
    let inode = version.inode
    let again: @Sendable () -> Void = { [self] in
      settle(version, length, for: thread, isSecondTry, then)
    }
    let opening = Opening(thread: thread, isSecondTry: isSecondTry, then: then, again: again)
    let isGreater = taking(opening, at: inode) { $0.sizes.opens(inode, by: thread) }
    guard let isGreater else { return }
    if state.withLock({ $0.sizes.toldWhileGrowing(inode) != nil }) {
      tellGrown(length, of: version)
    } else {
      changed(.sizeProved(length, of: inode, isGreater: isGreater))
    }
  }

  /// Performs `step` for `opening`. If the kernel must be told the size, returns whether the size
  /// is greater than all sizes that it was told before; otherwise nil.
  private func taking(
    _ opening: Opening, at inode: UInt64, _ step: (inout State) -> KernelSizes.Step?
  ) -> Bool? {
    let step = state.withLock { state in
      let step = step(&state)
      switch step {
      case .wait, .tell: state.openings[inode, default: []].append(opening)
      case .answer, .lookAgain, nil: break
      }
      return step
    }
    switch step {
    case .answer: opening.then(true)
    case .lookAgain: opening.then(opening.isSecondTry)
    case .wait, nil: break
    case .tell(let isGreater): return isGreater
    }
    return nil
  }

  /// Calls `then` with true when the kernel has no size of the growing `version` that is greater
  /// than its final size. Calls it with false if `thread` must ask for the attributes again first.
  func settleGrowth(
    of version: EntryVersion, for thread: KernelSizes.Opener,
    then: @escaping @Sendable (Bool) -> Void
  ) {
    let inode = version.inode
    guard let size = version.filler.growth?.toldSize else {
      // The length was proved before this call.
      guard let proved = version.filler.representation else { return then(true) }
      return settleSize(of: version, proved, for: thread, then: then)
    }
    let isSecondTry = state.withLock { $0.sizes.isSecondTry(by: thread) }
    let opening = Opening(thread: thread, isSecondTry: isSecondTry, then: then)
    var proved: Int?
    let isGreater = taking(opening, at: inode) { state in
      proved = state.provedMeanwhile(inode)
      return proved == nil ? state.opensGrowing(inode, at: size, by: thread) : nil
    }
    if let proved { return settle(version, proved, for: thread, isSecondTry, then) }
    if let isGreater { changed(.sizeProved(size, of: inode, isGreater: isGreater)) }
  }

  /// Tells the kernel the proved length of `version`, which was opened while it was growing. Calls
  /// `then` with true when the kernel has the length, and with false if the kernel does not take
  /// it. Until the kernel has the length, it ends each read at the size that it was told, without
  /// an error.
  func settleRead(
    of version: EntryVersion, _ proved: Representation, then: @escaping @Sendable (Bool) -> Void
  ) {
    let inode = version.inode
    learned(proved, of: inode)
    let again: @Sendable () -> Void = { [self] in settleRead(of: version, proved, then: then) }
    let opening = Opening(thread: nil, then: then, again: again)
    if taking(opening, at: inode, { $0.sizes.reads(inode) }) != nil {
      tellGrown(proved.length, of: version)
    }
  }

  /// Reads the last byte of a version that programs have open, and then tells the kernel its length
  /// together with that byte.
  private func tellGrown(_ length: Int, of version: EntryVersion) {
    let filler = version.filler
    let handle = filler.opened(isScanner: false, isLooker: true)
    let receiver = LastByte { [self] byte in
      filler.closed(handle)
      guard let byte else { return told(version.inode, hasIt: false) }
      changed(.sizeGrew(length, last: byte, of: version.inode))
    }
    filler.read(max(0, length - 1)..<length, by: handle, into: receiver)
  }

  /// Calls `then` with true when the kernel has the size of a sidecar, whose content has just come.
  /// Calls it with false if `thread` must ask for the attributes again first.
  ///
  /// - Parameter claim: the size in bytes that the kernel might have been told before; nil if it
  ///   was told only the true size, or if an earlier call has passed the claim.
  func settleSidecar(
    _ content: [UInt8], of inode: UInt64, claim: Int?, for thread: KernelSizes.Opener,
    then: @escaping @Sendable (Bool) -> Void
  ) {
    state.withLock { state in
      if let claim { state.sizes.proved(content.count, of: inode, claim: claim) }
    }
    let opening = Opening(thread: thread, then: then)
    let isGreater = taking(opening, at: inode) { $0.sizes.opens(inode, by: thread) }
    guard let isGreater else { return }
    if isGreater, let last = content.last {
      changed(.sizeGrew(content.count, last: last, of: inode))
    } else {
      changed(.sizeProved(content.count, of: inode, isGreater: false))
    }
  }

  /// Returns true if no open of the version with `inode` waits for its size, and none must be tried
  /// again. Otherwise the kernel must not be told to forget the inode: Linux tries an open again
  /// only once, and the second try must find the same inode.
  func isSettled(_ inode: UInt64) -> Bool {
    state.withLock { $0.sizes.isFree(inode) }
  }

  /// Notes that the size of the version with `inode` is proved. The size of an empty version is
  /// proved by a 416, so it comes from no accepted answer.
  func learned(_ proved: Representation, of inode: UInt64) {
    if let known = entry(inode: inode)?.known {
      guard known.isMeasured, known.representation != proved else { return }
    }
    know(KnownBody(proved, type: nil, freshFor: .zero, at: wall.seconds), of: inode)
  }

  /// Notes the length that an origin has sent for a file that is not open. Can block on the disk.
  ///
  /// The length is ignored if the file is open. The open brings a length of its own, and the two
  /// could differ.
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

  /// Computes the length that the kernel is told for files of unknown length.
  func findTypicalLength() {
    let length = catalog.typicalLength
    state.withLock { $0.typicalLengths.become(length) }
  }

  /// Notes that the version with `inode` is growing. Until its length is proved, the kernel can be
  /// told several sizes.
  func grows(_ inode: UInt64) {
    state.withLock { state in
      state.grows(inode)
      if let number = state.catalog.current.entry(inode: inode)?.number {
        state.changes.note(number, at: wall.microseconds())
      }
    }
    attributesChanged(of: inode)
  }

  /// Notes the size in bytes that the kernel is told while the version with `inode` is growing.
  func grew(_ inode: UInt64, to size: Int) {
    state.withLock { $0.sizes.grew(inode, to: size) }
  }

  /// Notes that an open of the version with `inode` by `thread` was answered with ESTALE.
  func sentBack(_ thread: KernelSizes.Opener, from inode: UInt64) {
    state.withLock { $0.sizes.sentBack(thread, from: inode) }
  }

  /// Notes that an open by `thread` got ESTALE, because a newer version has replaced the file.
  func turnedAway(_ thread: KernelSizes.Opener) {
    state.withLock { $0.sizes.turnedAway(thread) }
  }

  /// Notes that the kernel was told the size of `inode`; `hasIt` says whether the kernel has taken
  /// it. Lets the opens and reads go on that waited for this.
  func told(_ inode: UInt64, hasIt: Bool) {
    let (openings, isAnother) = state.withLock { state in
      let openings = state.openings.removeValue(forKey: inode) ?? []
      let isAnother = state.sizes.told(
        inode, hasIt: hasIt, openers: openings.compactMap(\.thread))
      return (openings, isAnother)
    }
    for opening in openings {
      if isAnother, let again = opening.again {
        again()
      } else {
        opening.then(hasIt || opening.isSecondTry)
      }
    }
  }
}

/// Receives the last byte of a file. Calls `take` with the byte, or with nil if the byte does not
/// come.
private struct LastByte: ByteReceiver {
  let take: @Sendable (UInt8?) -> Void

  func willWait(cancel: @escaping @Sendable () -> Void) -> Bool { true }

  func receive(_ bytes: RawSpan) -> Bool {
    take(bytes.withUnsafeBytes { $0.last })
    return true
  }

  func fail(_ error: ReadError) {
    take(nil)
  }
}
