import Blocks
import Fuse
import Streaming
import SystemPackage

/// One open descriptor of an entry; its version is open in the catalog as long as it lives.
final class EntryReader: OpenFile {
  private let version: EntryVersion
  private let live: LiveCatalog
  private let handle: FillState.HandleID

  /// Programs that look at every file of a folder to learn what it is.
  static let scanners: Set<String> = ["file"]

  /// - Parameters:
  ///   - program: the name of the program that opens.
  ///   - passesThrough: whether the kernel answers its reads.
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

/// A read of the kernel, as the heart sees it.
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

/// What a reader is told.
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
