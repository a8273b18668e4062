import Blocks
import Filling
import Fuse
import Host
import Locks
import SystemPackage

/// An open descriptor of an entry. It keeps the version open in the catalog until `close`.
final class EntryReader: OpenFile {
  private let version: EntryVersion
  private let live: LiveCatalog
  private let handle: FillState.HandleID
  private let isPlayer: Bool
  /// True if the file was growing when it was opened.
  private let grows: Bool
  /// The time at which the proof of the length failed last; nil if it never failed.
  private let failed = Locked<Duration?>(nil)

  /// - Parameters:
  ///   - program: the name of the program that opens the file.
  ///   - isPlayer: whether the program is a player.
  ///   - passesThrough: whether the kernel reads the file without the daemon.
  ///   - grows: whether the file is growing, so that its length is not proved yet.
  init(
    _ version: EntryVersion, in live: LiveCatalog, by program: String, isPlayer: Bool = false,
    passesThrough: Bool = false, grows: Bool = false
  ) {
    self.grows = grows
    self.isPlayer = isPlayer
    self.version = version
    self.live = live
    let kind = ProgramKind(of: program)
    handle =
      passesThrough && kind != .scanner
      ? version.filler.openedUnseen()
      : version.filler.opened(isScanner: kind == .scanner, isLooker: kind == .looker)
  }

  /// Answers a read. In a growing file, a read without an owner (`ReadReply.hasOwner`) waits for
  /// the proof of the length. Without this wait the kernel would cut the read off at the size that
  /// it knows, and report no error.
  func read(_ range: ByteRange, reply: ReadReply) {
    guard grows, !reply.hasOwner else { return answer(range, reply) }
    guard !hasJustFailed else { return reply.fail(.ioError) }
    version.filler.prove(PageRead(range: range, reply: reply, version: version, reader: self))
  }

  private func answer(_ range: ByteRange, _ reply: ReadReply) {
    version.filler.read(range, by: handle, into: KernelRead(reply: reply, version: version))
  }

  /// Answers a read for the kernel's pages, once the length is proved and the kernel knows it.
  ///
  /// A read that reaches the end of the file does not wait until the kernel knows the length. The
  /// kernel asks for the last page only if it knows the length already. And the notice that tells
  /// it the length can have to wait for that page.
  fileprivate func answer(_ range: ByteRange, _ reply: ReadReply, _ proved: Representation) {
    guard range.upperBound < proved.length else { return answer(range, reply) }
    live.settleRead(of: version, proved) { [self] hasLength in
      if hasLength { answer(range, reply) } else { reply.fail(.ioError) }
    }
  }

  fileprivate func proofFailed() {
    let now = version.filler.now
    failed.withLock { $0 = now }
  }

  /// True if the proof of the length failed a moment ago. The kernel repeats a failed read page by
  /// page, and each of the repeated reads fails at once.
  private var hasJustFailed: Bool {
    let failed = failed.withLock { $0 }
    return failed.map { version.filler.now - $0 < Self.failureMemory } ?? false
  }

  private static let failureMemory = FillRules().waits.failureMemory

  func close() {
    let run = version.filler.run(of: handle)
    version.filler.closed(handle)
    if let run { live.closed(version.inode, after: run, isPlayer: isPlayer) }
    live.closed(version)
  }
}

/// A read request of the kernel, as the filler's `ByteReceiver`.
private struct KernelRead: ByteReceiver {
  let reply: ReadReply
  let version: EntryVersion

  func willWait(cancel: @escaping @Sendable () -> Void) -> Bool {
    reply.willWait(
      for: version.originName, story: { version.filler.description }, cancel: cancel)
  }

  func receive(_ bytes: RawSpan) -> Bool {
    reply.bytes(bytes)
  }

  func fail(_ error: ReadError) {
    reply.fail(error.errno)
  }
}

/// A read that fills the kernel's pages of a growing file. It waits for the proof of the length.
private struct PageRead: ProofReceiver {
  let range: ByteRange
  let reply: ReadReply
  let version: EntryVersion
  let reader: EntryReader

  func willWait(cancel: @escaping @Sendable () -> Void) -> Bool {
    reply.willWait(
      for: version.originName, story: { version.filler.description },
      silence: { version.filler.silence }, cancel: cancel)
  }

  func proved(_ representation: Representation) {
    reader.answer(range, reply, representation)
  }

  func grows() -> Bool { false }

  func fail(_ error: ReadError) {
    reader.proofFailed()
    reply.fail(error.errno)
  }
}

/// The error number that a program gets for each error of a read.
extension ReadError {
  var errno: Errno {
    switch self {
    case .changed: .staleNFSFileHandle
    case .unreachable, .diskHangs, .withheld, .crowded, .ended: .ioError
    case .offline: .networkDown
    case .interrupted: .interrupted
    }
  }
}
