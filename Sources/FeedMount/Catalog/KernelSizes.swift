/// Decides whether the kernel must be told a file's size before an open of the file is answered.
///
/// The kernel reads no further than the size that it has, which is the size in the last answer: the
/// feed's claim, until the size is proved. So the first open after the proof is answered when the
/// kernel *has* the proved size, whatever request or reader has proved it. A file needs none of
/// this if its size was known when the mount began, or if the feed has always claimed the right
/// size.
///
/// - A size that is greater than all sizes told before is put into the kernel.
/// - A smaller size cannot be. The kernel is told to forget the old size, and the open is answered
///   with ESTALE: then the same thread asks for the name or the attributes once more, gets the
///   proved size, and opens again. The second open shows that the kernel has the size.
///
/// Answers from before the notice that are still under way do no harm: the kernel ignores an answer
/// to a request that is older than the last notice. For the same reason no other notice of the file
/// may come in between.
struct KernelSizes: Sendable {
  /// The next step of an open. `Opener` is a thread.
  enum Step: Equatable, Sendable {
    /// The kernel has the size.
    case answer
    /// The kernel is being told; `told` says how to go on.
    case wait
    /// The kernel must be told first, and then `told` called; `isGreater`: than all sizes that the
    /// kernel may have.
    case tell(isGreater: Bool)
    /// The kernel was told; this thread has to look again.
    case lookAgain
  }

  typealias Opener = Int32

  private struct Unsettled: Sendable {
    /// The range of all sizes that the kernel may have been told.
    var told: ClosedRange<Int>
    let size: Int
    var isBeingTold = false
    /// Threads that have to look again, since the kernel was told to forget the old size.
    var sentBack: Set<Opener> = []
  }

  /// The most threads to remember: one that never comes back is forgotten at last.
  private static let mostTurnedAway = 64

  private var unsettled: [UInt64: Unsettled] = [:]
  /// Openers of files that a newer version has replaced: their next open is one of that version.
  private var turnedAway: [Opener] = []
  /// Earlier claims of a feed that has changed its claim, of files of which no size is proved.
  private var formerClaims: [UInt64: ClosedRange<Int>] = [:]

  /// Notes that the feed has changed its claim for a file of which no size is proved.
  mutating func claimed(_ former: Int, of inode: UInt64) {
    formerClaims[inode] = formerClaims[inode]?.including(former) ?? former...former
  }

  /// Notes that the size of a file is proved. The kernel was told `claim` until now, or 0 without a
  /// claim.
  mutating func proved(_ size: Int, of inode: UInt64, claim: Int) {
    let told = formerClaims.removeValue(forKey: inode)?.including(claim) ?? claim...claim
    unsettled[inode] = told == size...size ? nil : Unsettled(told: told, size: size)
  }

  /// Returns the next step for an open by `opener` of a file whose size is proved.
  mutating func opens(_ inode: UInt64, by opener: Opener) -> Step {
    guard let file = unsettled[inode] else { return .answer }
    if file.isBeingTold { return .wait }
    if file.sentBack.contains(opener) {
      unsettled[inode] = nil
      return .answer
    }
    if !file.sentBack.isEmpty {
      unsettled[inode]?.sentBack.insert(opener)
      return .lookAgain
    }
    unsettled[inode]?.isBeingTold = true
    return .tell(isGreater: file.told.upperBound < file.size)
  }

  /// Notes that the kernel was told; `hasIt`: it has taken the size, else it has forgotten the old
  /// one.
  ///
  /// - Parameter openers: the threads that waited; without `hasIt` they have to look again.
  mutating func told(_ inode: UInt64, hasIt: Bool, openers: [Opener]) {
    if hasIt {
      unsettled[inode] = nil
    } else {
      unsettled[inode]?.isBeingTold = false
      unsettled[inode]?.sentBack.formUnion(openers)
    }
  }

  /// Notes that `opener` was sent back to look again for another reason.
  mutating func sentBack(_ opener: Opener, from inode: UInt64) {
    unsettled[inode]?.sentBack.insert(opener)
  }

  /// Notes that `opener` opened a file that a newer version has replaced, and gets ESTALE.
  mutating func turnedAway(_ opener: Opener) {
    turnedAway = turnedAway.suffix(Self.mostTurnedAway - 1) + [opener]
  }

  /// Whether this open is the second try of an opener that was turned away: Linux looks a name up
  /// again once, and then fails. Such an open is answered even if the size has become smaller: the
  /// kernel has forgotten the old size, and asks at the next look.
  mutating func isSecondTry(by opener: Opener) -> Bool {
    guard let place = turnedAway.lastIndex(of: opener) else { return false }
    turnedAway.remove(at: place)
    return true
  }

  /// Whether the kernel may be told anything else of the file now: no, from the notice of its
  /// proved size until the open is answered.
  func isFree(_ inode: UInt64) -> Bool {
    unsettled[inode].map { !$0.isBeingTold && $0.sentBack.isEmpty } ?? true
  }
}

extension ClosedRange<Int> {
  fileprivate func including(_ value: Int) -> ClosedRange<Int> {
    Swift.min(lowerBound, value)...Swift.max(upperBound, value)
  }
}
