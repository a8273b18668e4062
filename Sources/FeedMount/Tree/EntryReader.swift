import Blocks
import Fuse
import Streaming
import SystemPackage

/// An open descriptor of an entry. It keeps the version open in the catalog until `close`.
final class EntryReader: OpenFile {
  private let version: EntryVersion
  private let live: LiveCatalog
  private let handle: FillState.HandleID

  /// Programs that open every file of a folder to find out its type.
  static let scanners: Set<String> = ["file"]

  /// - Parameters:
  ///   - program: the name of the program that opens the file.
  ///   - passesThrough: whether the kernel reads the file without the daemon.
  init(
    _ version: EntryVersion, in live: LiveCatalog, by program: String, passesThrough: Bool = false
  ) {
    self.version = version
    self.live = live
    let isScanner = Self.scanners.contains(program)
    handle =
      passesThrough && !isScanner
      ? version.filler.openedUnseen() : version.filler.opened(isScanner: isScanner)
  }

  func read(_ range: ByteRange, reply: ReadReply) {
    version.filler.read(range, by: handle, into: KernelRead(reply: reply, version: version))
  }

  func close() {
    version.filler.closed(handle)
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

  func fail(_ error: StreamError) {
    reply.fail(error.errno)
  }
}

/// The error number that a reader gets.
extension StreamError {
  var errno: Errno {
    switch self {
    case .changed: .staleNFSFileHandle
    case .unreachable, .diskHangs, .withheld, .crowded, .ended: .ioError
    case .offline: .networkDown
    case .interrupted: .interrupted
    }
  }
}
