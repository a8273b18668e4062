import Blocks
import Streaming

@testable import FeedMount

/// One open descriptor: it opens, reads range after range, and closes.
///
/// One thread alone runs a simulation.
final class Viewer: @unchecked Sendable {
  struct Pending {
    let range: ByteRange
    let start: Duration
  }

  let version: EntryVersion
  let serial: Int
  let resource: Resource
  let isScanner: Bool
  /// The reader's handle; nil until the length is proved.
  private(set) var handle: FillState.HandleID?
  /// The version that it reads; it never changes.
  private(set) var body: Body?
  private(set) var pending: Pending?
  private(set) var isClosed = false
  /// True when the viewer itself interrupted its present wait.
  private(set) var isInterrupted = false
  var position = 0
  /// The last error that it received.
  private(set) var error: StreamError?
  /// The bytes that it received.
  private(set) var bytesRead = 0
  private var cancel: (@Sendable () -> Void)?
  private let complain: (String) -> Void
  private let closed: () -> Void
  /// True when an answer may have been wrong and was not compared yet.
  private let isExcused: () -> Bool

  /// - Parameter closed: called when the open has failed.
  init(
    _ version: EntryVersion, serial: Int, resource: Resource, isScanner: Bool,
    complain: @escaping (String) -> Void, closed: @escaping () -> Void,
    isExcused: @escaping () -> Bool
  ) {
    self.version = version
    self.serial = serial
    self.resource = resource
    self.isScanner = isScanner
    self.complain = complain
    self.closed = closed
    self.isExcused = isExcused
  }

  var isWaiting: Bool { pending != nil }

  /// Opens the file: waits for the length.
  func open(at now: Duration) {
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
    if !isExcused(), let wrong = body.complaint(about: bytes, at: asked.range) { complain(wrong) }
    position = asked.range.lowerBound + bytes.byteCount
  }

  fileprivate func proved(_ representation: Representation) {
    guard answered() != nil else { return }
    isInterrupted = false
    body = resource.version(representation)
    if body == nil { complain("\(representation) is nothing that the origin ever had") }
    handle = version.filler.opened(isScanner: isScanner)
  }

  fileprivate func failed(_ error: StreamError) {
    guard answered() != nil else { return }
    self.error = error
    switch error {
    case .interrupted where !isInterrupted: complain("nobody has interrupted the read")
    case .crowded: complain("nobody was turned away")
    case .diskHangs: complain("no disk hangs")
    case .withheld where !isScanner: complain("withheld from a player")
    case .changed where !version.filler.isSuperseded:
      complain("changed, but not superseded")
    case .offline where version.filler.snapshot.mode != .offline: complain("nobody is offline")
    case .interrupted, .withheld, .changed, .unreachable, .offline, .ended: break
    }
    isInterrupted = false
    if handle == nil && !isClosed {
      isClosed = true
      closed()
    }
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

  func fail(_ error: StreamError) {
    viewer?.failed(error)
  }
}
