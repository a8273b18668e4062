import Blocks
import Fuse
import Streaming

/// One open descriptor of an entry; its version is open in the catalog as long as it lives.
final class EntryReader: OpenFile {
  private let version: EntryVersion
  private let live: LiveCatalog
  private let handle: FillState.HandleID

  /// Programs that look at every file of a folder to learn what it is.
  static let scanners: Set<String> = ["file"]

  /// - Parameter program: the name of the program that opens.
  init(_ version: EntryVersion, in live: LiveCatalog, by program: String) {
    self.version = version
    self.live = live
    handle = version.filler.opened(isScanner: Self.scanners.contains(program))
  }

  func read(_ range: ByteRange, reply: ReadReply) {
    version.filler.read(
      range, by: handle, into: KernelRead(reply: reply, origin: version.originName))
  }

  func close() {
    version.filler.closed(handle)
    live.closed(version)
  }
}
