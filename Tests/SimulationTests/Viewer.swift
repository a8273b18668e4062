import Blocks
import Filling
import Locks

@testable import FeedMount
@testable import Storage

/// One open descriptor: it opens, reads range after range, and closes.
///
/// One thread alone runs a simulation.
final class Viewer: @unchecked Sendable {
  struct Pending {
    let range: ByteRange
    let start: Duration
  }

  /// The part of the mount that answers a viewer.
  protocol Surroundings: AnyObject {
    func complain(_ text: String)
    /// True when an answer may have been wrong and was not compared yet.
    func isExcused(_ viewer: Viewer) -> Bool
    func hasReadWrongBytes(_ viewer: Viewer)
    /// Calls `then` when the kernel has the proved size; with false if the viewer must look again.
    func settle(
      _ viewer: Viewer, _ proved: Representation, then: @escaping @Sendable (Bool) -> Void)
    /// Opens the viewer's name again, since its first open got ESTALE.
    func openAgain(_ viewer: Viewer)
    func hasFailed(_ viewer: Viewer)
  }

  let name: String
  /// The thread of the program.
  let thread: Int32
  let serial: Int
  let resource: Resource
  let isScanner: Bool
  /// The version that the name stood for at the last look.
  private(set) var version: EntryVersion
  /// The reader's handle; nil until the length is proved.
  private(set) var handle: FillState.HandleID?
  /// The version that it reads; it never changes.
  private(set) var body: Body?
  private(set) var pending: Pending?
  private(set) var isClosed = false
  /// True when the viewer itself interrupted its present wait.
  private(set) var isInterrupted = false
  /// The inode from which its open was sent back, which Linux takes once.
  private(set) var sentBackFrom: UInt64?
  var position = 0
  /// True when nobody had the version open before.
  var wasFirst = false
  /// The last error that it received.
  private(set) var error: ReadError?
  /// The bytes that it received.
  private(set) var bytesRead = 0
  private var cancel: (@Sendable () -> Void)?
  private unowned let surroundings: any Surroundings

  init(
    _ version: EntryVersion, named name: String, thread: Int32, serial: Int, resource: Resource,
    isScanner: Bool, in surroundings: any Surroundings
  ) {
    self.version = version
    self.name = name
    self.thread = thread
    self.serial = serial
    self.resource = resource
    self.isScanner = isScanner
    self.surroundings = surroundings
  }

  var isWaiting: Bool { pending != nil }

  /// Opens `version`: waits for the length.
  func open(_ version: EntryVersion, at now: Duration) {
    self.version = version
    pending = Pending(range: 0..<0, start: now)
    version.filler.prove(Asking(self, cancelsAtOnce: false))
  }

  /// Reads on from `position`; `cancelsAtOnce`: a signal comes before the wait has begun.
  func read(_ count: Int, at now: Duration, cancelsAtOnce: Bool) {
    guard let handle, pending == nil else { return }
    let range = position..<position + count
    pending = Pending(range: range, start: now)
    version.filler.read(range, by: handle, into: Asking(self, cancelsAtOnce: cancelsAtOnce))
  }

  func interrupt() {
    guard pending != nil, let cancel else { return }
    isInterrupted = true
    cancel()
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    if let handle { version.filler.closed(handle) }
  }

  // MARK: Answers

  fileprivate func willWait(_ cancel: @escaping @Sendable () -> Void, cancelsAtOnce: Bool) {
    self.cancel = cancel
    guard cancelsAtOnce else { return }
    isInterrupted = true
    cancel()
  }

  fileprivate func received(_ bytes: RawSpan) {
    guard let asked = answered(), let body else { return }
    isInterrupted = false
    bytesRead += bytes.byteCount
    if isOnlyInMemory(asked.range.lowerBound..<asked.range.lowerBound + bytes.byteCount) {
      complain("\(asked.range) is read, and a kill would lose a complete block of it")
    }
    if let wrong = body.complaint(about: bytes, at: asked.range) {
      surroundings.hasReadWrongBytes(self)
      if !surroundings.isExcused(self) { surroundings.complain(wrong) }
    }
    position = asked.range.lowerBound + bytes.byteCount
  }

  fileprivate func proved(_ representation: Representation) {
    guard pending != nil else { return surroundings.complain("a version is proved twice") }
    isInterrupted = false
    cancel = nil
    surroundings.settle(self, representation) { [weak self] isSettled in
      self?.settled(representation, isSettled)
    }
  }

  private func settled(_ representation: Representation, _ isSettled: Bool) {
    guard !isClosed, answered() != nil else { return }
    guard isSettled else {
      // A newer version may have taken the name meanwhile.
      if sentBackFrom == version.inode {
        surroundings.complain("an open of \(name) is sent back twice")
      }
      sentBackFrom = version.inode
      return surroundings.openAgain(self)
    }
    body = resource.version(representation)
    if body == nil {
      surroundings.complain("\(representation) is nothing that the origin ever had")
    }
    handle = version.filler.opened(isScanner: isScanner)
  }

  fileprivate func failed(_ error: ReadError) {
    guard answered() != nil else { return }
    self.error = error
    switch error {
    case .interrupted where !isInterrupted: complain("nobody has interrupted the read")
    case .crowded: complain("nobody was turned away")
    // The wait for the write of its bytes was ended.
    case .diskHangs where !isInterrupted: complain("no disk hangs")
    case .withheld where !isScanner: complain("withheld from a player")
    case .changed where !version.filler.isStale:
      complain("changed, but not stale")
    case .offline where version.filler.snapshot.mode != .offline: complain("nobody is offline")
    case .interrupted, .diskHangs, .withheld, .changed, .unreachable, .offline, .ended: break
    }
    isInterrupted = false
    if handle == nil && !isClosed {
      isClosed = true
      surroundings.hasFailed(self)
    }
  }

  /// True if a complete block of `range` has not reached the disk's page cache.
  private func isOnlyInMemory(_ range: ByteRange) -> Bool {
    guard let file = version.file else { return false }
    let blocks = file.layout.blocks(touching: range)
    return file.state.withLock { $0.pending.firstMember(in: blocks) } != nil
  }

  private func complain(_ text: String) {
    surroundings.complain(text)
  }

  private func answered() -> Pending? {
    guard let asked = pending else {
      complain("a read was answered twice")
      return nil
    }
    pending = nil
    cancel = nil
    return asked
  }
}

/// One request of a viewer.
private struct Asking: ByteReceiver, ProofReceiver {
  // Weak, since the filler keeps this: a viewer that went with its process gets no answer.
  private weak var viewer: Viewer?
  private let cancelsAtOnce: Bool

  init(_ viewer: Viewer, cancelsAtOnce: Bool) {
    self.viewer = viewer
    self.cancelsAtOnce = cancelsAtOnce
  }

  func willWait(cancel: @escaping @Sendable () -> Void) -> Bool {
    viewer?.willWait(cancel, cancelsAtOnce: cancelsAtOnce)
    return true
  }

  func receive(_ bytes: RawSpan) -> Bool {
    viewer?.received(bytes)
    return true
  }

  func proved(_ representation: Representation) {
    viewer?.proved(representation)
  }

  func grows() -> Bool { false }

  func fail(_ error: ReadError) {
    viewer?.failed(error)
  }
}
