/// Decides what the kernel must be told of a file's size before an open of it is answered.
///
/// The kernel reads no further than the size that it has, and it has what some answer told it last: what
/// the feed claims, until the size is proved. So the first open after the proof is answered when the
/// kernel *has* the proved size, however that was proved, and by whom. A file whose size was known when the
/// mount began, or was always claimed as it is, needs nothing of this.
///
/// - A size that is greater than all that was told is put into the kernel.
/// - A smaller one cannot be. The kernel is told to forget what it knows, and the open is answered with
///   ESTALE: then the same thread asks for the name or the attributes once more, gets the proved size, and
///   opens again. Its coming back shows that the kernel has it.
///
/// Answers of an earlier time, which are still under way, do no harm: the kernel takes none whose request
/// is older than the last notice. For the same reason no other notice of the file may come between.
struct KernelSizes: Sendable {
  /// How an open goes on. `Opener` is a thread.
  enum Step: Equatable, Sendable {
    /// The kernel has the size.
    case answer
    /// It is being told; what follows is `told`'s to say.
    case wait
    /// It must be told first, and `told` called; `isGreater`: than all that it may have.
    case tell(isGreater: Bool)
    /// It was told; this thread has to look again.
    case lookAgain
  }

  typealias Opener = Int32

  private struct Unsettled: Sendable {
    /// All that the kernel may have been told lies within.
    var told: ClosedRange<Int>
    let size: Int
    var isBeingTold = false
    /// Threads that have to look again, since the kernel was told to forget what it knew.
    var sentBack: Set<Opener> = []
  }

  /// A thread that never comes back is forgotten at last.
  private static let mostTurnedAway = 64

  private var unsettled: [UInt64: Unsettled] = [:]
  /// Openers of files that a newer version has replaced: they come back with an open of that.
  private var turnedAway: [Opener] = []
  /// Earlier claims of a feed that changed its mind about files of which nothing is proved.
  private var formerClaims: [UInt64: ClosedRange<Int>] = [:]

  /// The feed claims something else of a file of which nothing is proved.
  mutating func claimed(_ former: Int, of inode: UInt64) {
    formerClaims[inode] = formerClaims[inode]?.including(former) ?? former...former
  }

  /// The size of a file is proved, of which `claim` was told until now; 0 where nothing was claimed.
  mutating func proved(_ size: Int, of inode: UInt64, claim: Int) {
    let told = formerClaims.removeValue(forKey: inode)?.including(claim) ?? claim...claim
    unsettled[inode] = told == size...size ? nil : Unsettled(told: told, size: size)
  }

  /// `opener` opens the file, whose size is proved.
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

  /// The kernel was told; `hasIt`: it has taken the size, and else has forgotten what it knew.
  ///
  /// - Parameter openers: who has waited for it; if it does not have it, they have to look again.
  mutating func told(_ inode: UInt64, hasIt: Bool, openers: [Opener]) {
    if hasIt {
      unsettled[inode] = nil
    } else {
      unsettled[inode]?.isBeingTold = false
      unsettled[inode]?.sentBack.formUnion(openers)
    }
  }

  /// `opener` was sent back to look again for another reason.
  mutating func sentBack(_ opener: Opener, from inode: UInt64) {
    unsettled[inode]?.sentBack.insert(opener)
  }

  /// `opener` opened a file that a newer version has replaced, and is answered with ESTALE.
  mutating func turnedAway(_ opener: Opener) {
    turnedAway = turnedAway.suffix(Self.mostTurnedAway - 1) + [opener]
  }

  /// Whether this open of `opener` is the second try of one that was turned away: Linux looks a name up
  /// again once, and then fails. Such an open is answered though its size has become smaller: the kernel
  /// has forgotten the old one, and asks at the next look.
  mutating func isSecondTry(by opener: Opener) -> Bool {
    guard let place = turnedAway.lastIndex(of: opener) else { return false }
    turnedAway.remove(at: place)
    return true
  }

  /// Whether the kernel may be told anything else of the file now: nothing between the proof of its size
  /// and the answer of its open.
  func isFree(_ inode: UInt64) -> Bool {
    unsettled[inode].map { !$0.isBeingTold && $0.sentBack.isEmpty } ?? true
  }
}

extension ClosedRange<Int> {
  fileprivate func including(_ value: Int) -> ClosedRange<Int> {
    Swift.min(lowerBound, value)...Swift.max(upperBound, value)
  }
}
