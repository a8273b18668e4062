/// Decides whether the kernel must be told a file's size before an open of the file is answered.
///
/// The kernel reads no further than the size in the daemon's last answer. Until the size is proved,
/// that size is the feed's claim. So the first open after the proof must wait until the kernel
/// *has* the proved size, whichever request or reader proved it. No open has to wait if the size
/// was known when the mount began, or if the feed has always claimed the right size.
///
/// - A size greater than all sizes told before is put into the kernel.
/// - A smaller size cannot be put there. The kernel is told to forget the old size, and the open is
///   answered with ESTALE. Then the same thread asks for the name or the attributes once more, gets
///   the proved size, and opens again. The second open shows that the kernel has the size.
///
/// While a file of unknown length is growing, the kernel is told a size of whole pages that is less
/// than the final size (`GrowthState.toldSize`). An open of such a file is answered only when the
/// kernel has no greater size than that. Once the length is proved, it is put into the kernel
/// although programs have the file open. This happens before the next open, or before the first
/// read that ends where the kernel's size ends.
///
/// A late answer with an old size does no harm: the kernel ignores the answer to a request that is
/// older than the last notice about the file. For the same reason the kernel must get no other
/// notice about the file between the notice of its size and the answer to the open.
struct KernelSizes: Sendable {
  /// The next step of an open. An `Opener` is a thread.
  enum Step: Equatable, Sendable {
    /// The kernel has the size, so the open can be answered.
    case answer
    /// The kernel is being told the size. The open must wait until `told` is called.
    case wait
    /// The caller must tell the kernel the size, and then call `told`. `isGreater` says that the
    /// size is greater than every size that the kernel can have.
    case tell(isGreater: Bool)
    /// The kernel has forgotten the old size. The thread that opens must ask for the attributes
    /// again.
    case lookAgain
  }

  typealias Opener = Int32

  private struct Unsettled: Sendable {
    /// From the smallest to the greatest size that the kernel might have been told.
    var told: ClosedRange<Int>
    let size: Int
    /// False if `size` is only the size that the kernel is told while the file is growing.
    var isProved = true
    /// The size that the kernel is being told; nil if none is.
    var beingTold: Int?
    /// True if the length was proved after the threads of `sentBack` were told to ask again. These
    /// threads might have got an earlier, smaller size.
    var isLate = false
    /// Threads that must ask again, because the kernel was told to forget the old size.
    var sentBack: Set<Opener> = []
  }

  /// The largest number of threads in `turnedAway`. Some of them never open a file again, so the
  /// oldest are removed first.
  private static let maxTurnedAway = 64

  private var unsettled: [UInt64: Unsettled] = [:]
  /// Threads whose open got ESTALE because a newer version has replaced the file. The next open of
  /// such a thread is its second try.
  private var turnedAway: [Opener] = []
  /// By inode of a file whose size is not proved: from the smallest to the greatest size that the
  /// kernel might have been told earlier.
  private var formerClaims: [UInt64: ClosedRange<Int>] = [:]
  /// By inode of a file that was opened while it was growing: the greatest size that the kernel was
  /// told.
  private var grown: [UInt64: Int] = [:]

  /// Notes that the kernel might have been told the size `former`, in bytes, of a file whose size
  /// is not proved. For example, the feed claimed that size earlier.
  mutating func claimed(_ former: Int, of inode: UInt64) {
    formerClaims[inode] = formerClaims[inode]?.including(former) ?? former...former
  }

  /// Notes that the size of a file is proved. `claim` is the size that the kernel was told until
  /// now. Both are bytes.
  ///
  /// The size of a file that was never open can be proved again, by another answer. Then `claim` is
  /// the size that was proved before.
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

  /// Returns the proved length that the kernel does not have yet; nil if there is none.
  ///
  /// The length of a growing file can be proved while an open of the file is under way. That open
  /// must then go on with `opens`.
  func provedMeanwhile(_ inode: UInt64) -> Int? {
    unsettled[inode].flatMap { $0.isProved ? $0.size : nil }
  }

  /// Returns the next step for an open by `opener` of a growing file, whose length is not proved.
  ///
  /// - Parameters:
  ///   - size: the size in bytes that the kernel is told from now on.
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

  /// Returns the next step for a read of a file that was opened while it was growing, and whose
  /// length is proved by now. The program gets no byte beyond the size that the kernel has. If the
  /// step is `lookAgain`, the read must fail.
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

  /// Returns the greatest size that the kernel was told of a file that was opened while it was
  /// growing. Returns nil for any other file.
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

  /// Notes that the kernel was told the size. If `hasIt` is true, the kernel has taken the size.
  /// Otherwise the kernel has only forgotten the old size.
  ///
  /// - Parameter openers: the threads that waited. If `hasIt` is false, they must ask for the
  ///   attributes again.
  /// - Returns: true if another size was proved meanwhile. Then the waiting opens and reads must
  ///   ask for their next step again.
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

  /// Notes that an open by `opener` got ESTALE for a reason other than the size. The thread then
  /// looks the name up again.
  mutating func sentBack(_ opener: Opener, from inode: UInt64) {
    unsettled[inode]?.sentBack.insert(opener)
  }

  /// Notes that `opener` got ESTALE, because it opened a file that a newer version has replaced.
  mutating func turnedAway(_ opener: Opener) {
    turnedAway = turnedAway.suffix(Self.maxTurnedAway - 1) + [opener]
  }

  /// Returns whether this open is the second try of a thread that was turned away. Linux looks a
  /// name up again only once. If the second open got ESTALE too, the program would get this error.
  /// So the second open is answered even if the size has become smaller. The kernel has forgotten
  /// the old size by then, and asks for the new one at its next lookup.
  mutating func isSecondTry(by opener: Opener) -> Bool {
    guard let place = turnedAway.lastIndex(of: opener) else { return false }
    turnedAway.remove(at: place)
    return true
  }

  /// Returns whether the kernel is allowed to get any other notice about the file now. It is not
  /// allowed to between the notice of the proved size and the answer to the open.
  func isFree(_ inode: UInt64) -> Bool {
    unsettled[inode].map { $0.beingTold == nil && $0.sentBack.isEmpty } ?? true
  }
}

extension ClosedRange<Int> {
  fileprivate func including(_ value: Int) -> ClosedRange<Int> {
    Swift.min(lowerBound, value)...Swift.max(upperBound, value)
  }
}
