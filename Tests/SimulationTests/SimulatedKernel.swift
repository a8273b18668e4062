import TestSupport

@testable import FeedMount

/// Models how Linux handles the size of one file: the parts of fs/fuse/inode.c and dir.c about
/// sizes.
///
/// An answer with attributes counts only if nothing has changed them since the question; a notice
/// changes them. Chance decides how long each thing is under way: questions, answers, notices, a
/// feed that changes its claim, and threads that open the file.
struct SimulatedKernel {
  /// A question for attributes.
  private struct Question {
    let version: Int
    /// The daemon's answer, once it has answered.
    var answer: Int?
    /// The thread that continues when the question is answered.
    let opener: Int?
  }

  private enum Thread {
    case begins, asks, opens, waits, asksAgain, opensAgain, reads, hasFailed
  }

  private enum Notice {
    case tell(isGreater: Bool)
    case attributes
  }

  private static let inode: UInt64 = 7

  private var random: SeededRandom
  private var sizes = KernelSizes()
  // State of the kernel.
  private var size: Int
  private var version = 0
  private var versionOfFile = 0
  private var questions: [Question] = []
  private var threads: [Thread] = Array(repeating: .begins, count: 4)
  // State of the daemon.
  private var claim: Int
  private let truth = 100
  private var isProved = false
  private var notices: [Notice] = []

  /// The last complaint.
  private(set) var complaint: String?

  /// True when every thread has its answer.
  var isAnswered: Bool { threads.allSatisfy { $0 == .reads } }

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    claim = [0, 50, 100, 300].randomElement(using: &random) ?? 0
    size = claim
  }

  /// Takes `steps` random steps, then as many as it takes to answer every thread.
  mutating func run(steps: Int) {
    for _ in 0..<steps { step(Int.random(in: 0..<10, using: &random)) }
    for step in 0..<2_000 {
      guard !isAnswered else { return }
      self.step(step % 8 + 2)
    }
  }

  private mutating func step(_ what: Int) {
    switch what {
    case 0: changeClaim()
    case 1: notices += sizes.isFree(Self.inode) ? [.attributes] : []
    case 2: if questions.count < 6 { ask(for: nil) }
    case 3: answer()
    case 4: take()
    case 5: notify()
    default: proceed(Int.random(in: threads.indices, using: &random))
    }
  }

  private mutating func changeClaim() {
    guard !isProved else { return }
    sizes.claimed(claim, of: Self.inode)
    claim = [0, 50, 100, 300].randomElement(using: &random) ?? 0
  }

  // MARK: Attributes

  private mutating func ask(for opener: Int?) {
    questions.append(Question(version: version, opener: opener))
  }

  private mutating func answer() {
    let open = questions.indices.filter { questions[$0].answer == nil }
    guard let index = open.randomElement(using: &random) else { return }
    questions[index].answer = isProved ? truth : claim
  }

  private mutating func take() {
    let answered = questions.indices.filter { questions[$0].answer != nil }
    guard let index = answered.randomElement(using: &random) else { return }
    let question = questions.remove(at: index)
    if let answer = question.answer, versionOfFile <= question.version { change(to: answer) }
    guard let opener = question.opener else { return }
    threads[opener] = threads[opener] == .asks ? .opens : .opensAgain
  }

  private mutating func change(to size: Int) {
    self.size = size
    version += 1
    versionOfFile = version
  }

  // MARK: Opens

  private mutating func proceed(_ index: Int) {
    switch threads[index] {
    case .begins:
      // The attributes may still be valid; then the thread does not ask.
      let asks = Bool.random(using: &random)
      threads[index] = asks ? .asks : .opens
      if asks { ask(for: index) }
    case .opens, .opensAgain: open(index)
    case .asks, .waits, .asksAgain, .reads, .hasFailed: break
    }
  }

  private mutating func open(_ index: Int) {
    if !isProved {
      isProved = true
      sizes.proved(truth, of: Self.inode, claim: claim)
    }
    switch sizes.opens(Self.inode, by: Int32(index)) {
    case .answer: read(index)
    case .wait: threads[index] = .waits
    case .tell(let isGreater):
      threads[index] = .waits
      notices.append(.tell(isGreater: isGreater))
    case .lookAgain: sendBack(index)
    }
  }

  private mutating func sendBack(_ index: Int) {
    if threads[index] == .opensAgain { complaint = "an open was sent back twice" }
    threads[index] = .asksAgain
    ask(for: index)
  }

  private mutating func read(_ index: Int) {
    if size != truth { complaint = "an open was answered at a size of \(size)" }
    threads[index] = .reads
  }

  // MARK: Notices

  private mutating func notify() {
    guard !notices.isEmpty else { return }
    let notice = notices.removeFirst()
    change(to: size)
    guard case .tell(let isGreater) = notice else { return }
    if isGreater { change(to: max(size, truth)) }
    let openers = threads.indices.filter { threads[$0] == .waits }
    _ = sizes.told(Self.inode, hasIt: isGreater, openers: openers.map { Int32($0) })
    for opener in openers {
      if isGreater { read(opener) } else { sendBack(opener) }
    }
  }
}
