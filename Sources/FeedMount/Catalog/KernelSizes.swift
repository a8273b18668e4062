/// Decides whether the kernel must be told a file's size before an open of the file is answered.
///
/// The kernel reads no further than the size in the daemon's last answer. Until the size is proved,
/// that size is the feed's claim. So the first open after the proof must wait until the kernel
/// *has* the proved size. It does not matter which request or reader proved it. A file needs none
/// of this if its size was known when the mount began. The same holds if the feed has always
/// claimed the right size.
///
/// - A size greater than all sizes told before is put into the kernel.
/// - A smaller size cannot be put there. The kernel is told to forget the old size, and the open is
///   answered with ESTALE. Then the same thread asks for the name or the attributes once more, gets
///   the proved size, and opens again. The second open shows that the kernel has the size.
///
/// While a file without a known length grows, the kernel is told its size in whole pages, and
/// always a smaller one than it will be (`GrowthState.toldSize`). The kernel must have no greater
/// size before such an open is answered. Once the length is proved, it is put into the kernel,
/// although programs have the file open: before the next open, or before the first read that ends
/// where the kernel's size does.
///
/// Older answers that are still under way do no harm. The kernel ignores an answer to a request
/// that is older than the last notice. For the same reason no other notice of the file may come in
/// between.
struct KernelSizes: Sendable {
  /// The next step of an open. An `Opener` is a thread.
  enum Step: Equatable, Sendable {
    /// The kernel has the size.
    case answer
    /// The kernel is being told the size. `told` later decides how the open goes on.
    case wait
    /// The caller must tell the kernel the size, and then call `told`. `isGreater` says that the
    /// size is greater than every size that the kernel may have.
    case tell(isGreater: Bool)
    /// The kernel has forgotten the old size. This thread must ask for the attributes again.
    case lookAgain
  }

  typealias Opener = Int32

  private struct Unsettled: Sendable {
    /// The range of all sizes that the kernel may have been told.
    var told: ClosedRange<Int>
    let size: Int
    /// False if `size` is the size that the kernel is told of a growing file.
    var isProved = true
    /// The size that the kernel is being told; nil if none is.
    var beingTold: Int?
    /// True if the length was proved after the threads of `sentBack` were told to ask again. They may
    /// have got an earlier size, which is smaller.
    var isLate = false
    /// Threads that must ask again, because the kernel was told to forget the old size.
    var sentBack: Set<Opener> = []
  }

  /// The most threads to remember. The limit forgets threads that never come back.
  private static let maxTurnedAway = 64

  private var unsettled: [UInt64: Unsettled] = [:]
  /// Openers of files that a newer version has replaced. Their next open is one of the newer
  /// version.
  private var turnedAway: [Opener] = []
  /// Earlier claims of the feed, by inode, for files whose size is not proved.
  private var formerClaims: [UInt64: ClosedRange<Int>] = [:]
  /// The greatest sizes that were told of files that were opened while they grew.
  private var grown: [UInt64: Int] = [:]

  /// Notes that the feed has changed its claim for a file whose size is not proved.
  mutating func claimed(_ former: Int, of inode: UInt64) {
    formerClaims[inode] = formerClaims[inode]?.including(former) ?? former...former
  }

  /// Notes that the size of a file is proved. `claim` is the size that the kernel was told until
  /// now, or 0 if the feed claimed none.
  ///
  /// A size may be proved again as long as the file was never open. Then `claim` is the earlier one.
  mutating func proved(_ size: Int, of inode: UInt64, claim: Int) {
    let former = formerClaims.removeValue(forKey: inode)?.including(claim) ?? claim...claim
    var told = grown[inode].map { $0...$0 } ?? former
    let before = unsettled[inode]
    if let before = before?.told {
      told = told.including(before.lowerBound).including(before.upperBound)
    }
    guard told != size...size || before?.beingTold != nil else {
      unsettled[inode] = nil
      return
    }
    var file = Unsettled(told: told, size: size)
    file.beingTold = before?.beingTold
    if grown[inode] != nil, let before, !before.sentBack.isEmpty {
      file.sentBack = before.sentBack
      file.isLate = true
    }
    unsettled[inode] = file
  }

  /// Returns the length that was proved just now, and that the kernel does not have yet.
  ///
  /// It may be proved after the file was found to grow, and before its open is answered. Then the
  /// open must go on by `opens`.
  func provedMeanwhile(_ inode: UInt64) -> Int? {
    unsettled[inode].flatMap { $0.isProved ? $0.size : nil }
  }

  /// Returns the next step for an open by `opener` of a file that grows, and is not proved meanwhile.
  ///
  /// - Parameters:
  ///   - size: the size in bytes that is told of it now.
  ///   - claim: the size that the kernel was told until now.
  mutating func opensGrowing(
    _ inode: UInt64, at size: Int, claim: Int, by opener: Opener
  ) -> Step {
    guard grown[inode] == nil else { return opens(inode, by: opener) }
    let told = formerClaims.removeValue(forKey: inode)?.including(claim) ?? claim...claim
    grown[inode] = size
    guard told != size...size else { return .answer }
    unsettled[inode] = Unsettled(told: told, size: size, isProved: false, beingTold: size)
    return .tell(isGreater: told.upperBound < size)
  }

  /// Returns the next step for a read of a file that was opened while it grew, and whose length is
  /// proved. The read gets no byte behind the kernel's size. It must fail if it is told to look again.
  mutating func reads(_ inode: UInt64) -> Step {
    guard let file = unsettled[inode] else { return .answer }
    if file.beingTold != nil { return .wait }
    guard file.sentBack.isEmpty || file.isLate else { return .lookAgain }
    return tell(inode, file, isGreater: true)
  }

  /// Notes the size in bytes that the kernel is told of a growing file.
  mutating func grew(_ inode: UInt64, to size: Int) {
    if let before = grown[inode], before < size { grown[inode] = size }
  }

  /// Returns the greatest size that was told of a file that was opened while it grew; nil if it was not.
  func toldWhileGrowing(_ inode: UInt64) -> Int? {
    grown.isEmpty ? nil : grown[inode]
  }

  private mutating func tell(_ inode: UInt64, _ file: Unsettled, isGreater: Bool) -> Step {
    unsettled[inode] = file
    unsettled[inode]?.beingTold = file.size
    return .tell(isGreater: isGreater)
  }

  /// Returns the next step for an open by `opener` of a file whose size is proved.
  mutating func opens(_ inode: UInt64, by opener: Opener) -> Step {
    guard let file = unsettled[inode] else { return .answer }
    if file.beingTold != nil { return .wait }
    if file.sentBack.contains(opener) {
      if file.isLate {
        let settled = Unsettled(told: file.told, size: file.size)
        return tell(inode, settled, isGreater: true)
      }
      unsettled[inode] = nil
      return .answer
    }
    if !file.sentBack.isEmpty {
      unsettled[inode]?.sentBack.insert(opener)
      return .lookAgain
    }
    return tell(inode, file, isGreater: file.told.upperBound < file.size)
  }

  /// Notes that the kernel was told. With `hasIt` it has taken the size; else it has forgotten the
  /// old one.
  ///
  /// - Parameter openers: the threads that waited. Without `hasIt` they must ask again.
  /// - Returns: true if another size was proved meanwhile. The openers that wait for that one must
  ///   ask for their next step.
  mutating func told(_ inode: UInt64, hasIt: Bool, openers: [Opener]) -> Bool {
    guard let file = unsettled[inode], let size = file.beingTold else { return false }
    guard hasIt else {
      unsettled[inode]?.beingTold = nil
      unsettled[inode]?.sentBack.formUnion(openers)
      return false
    }
    unsettled[inode] = size == file.size ? nil : Unsettled(told: size...size, size: file.size)
    return size != file.size
  }

  /// Notes that `opener` must ask again for another reason.
  mutating func sentBack(_ opener: Opener, from inode: UInt64) {
    unsettled[inode]?.sentBack.insert(opener)
  }

  /// Notes that `opener` got ESTALE, because it opened a file that a newer version has replaced.
  mutating func turnedAway(_ opener: Opener) {
    turnedAway = turnedAway.suffix(Self.maxTurnedAway - 1) + [opener]
  }

  /// Returns whether this open is the second try of an opener that was turned away. Linux looks a
  /// name up again only once, and then fails. So the second try is answered even if the size has
  /// become smaller. The kernel has forgotten the old size then, and asks at the next look.
  mutating func isSecondTry(by opener: Opener) -> Bool {
    guard let place = turnedAway.lastIndex(of: opener) else { return false }
    turnedAway.remove(at: place)
    return true
  }

  /// Returns whether the kernel may be told anything else about the file now. From the notice of
  /// the proved size until the open is answered, it may not.
  func isFree(_ inode: UInt64) -> Bool {
    unsettled[inode].map { $0.beingTold == nil && $0.sentBack.isEmpty } ?? true
  }
}

extension ClosedRange<Int> {
  fileprivate func including(_ value: Int) -> ClosedRange<Int> {
    Swift.min(lowerBound, value)...Swift.max(upperBound, value)
  }
}
