import Blocks
import Fuse
import Streaming
import SystemPackage

/// An open descriptor of an entry. It keeps the version open in the catalog until `close`.
final class EntryReader: OpenFile {
  private let version: EntryVersion
  private let live: LiveCatalog
  private let handle: FillState.HandleID
  private let isPlayer: Bool

  /// Programs that open every file of a folder to find out its type.
  static let scanners: Set<String> = ["file"]

  /// Programs that look at a film and do not play it, by the 15 letters that the kernel keeps of
  /// their names. They read what they want. But such an open does not mean that the user goes on, and
  /// nothing is read ahead of a look.
  static let lookers: Set<String> = scanners.union([
    "exiftool", "ffmpegthumbnail", "ffprobe", "gerbera", "gst-discoverer-", "mediainfo",
    "minidlnad", "mkvinfo", "mkvmerge", "totem-video-thu", "tracker-extract",
  ])

  /// Returns whether a program looks at the films that it opens, and not at their types alone.
  static func isLooker(_ program: String) -> Bool {
    lookers.contains(program) && !scanners.contains(program)
  }

  /// - Parameters:
  ///   - program: the name of the program that opens the file.
  ///   - isPlayer: whether the program is a player.
  ///   - passesThrough: whether the kernel reads the file without the daemon.
  init(
    _ version: EntryVersion, in live: LiveCatalog, by program: String, isPlayer: Bool = false,
    passesThrough: Bool = false
  ) {
    self.isPlayer = isPlayer
    self.version = version
    self.live = live
    let isScanner = Self.scanners.contains(program)
    handle =
      passesThrough && !isScanner
      ? version.filler.openedUnseen()
      : version.filler.opened(
        isScanner: isScanner, isLooker: Self.lookers.contains(program))
  }

  func read(_ range: ByteRange, reply: ReadReply) {
    version.filler.read(range, by: handle, into: KernelRead(reply: reply, version: version))
  }

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
