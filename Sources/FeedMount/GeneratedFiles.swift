import Dispatch
import Feeds
import Fuse
import NIOConcurrencyHelpers

/// The files whose content is made at each open: the playlist and the status.
///
/// Safe from any thread; what opens need is made on a queue of its own, so that a long list holds up
/// nobody.
final class GeneratedFiles: Sendable {
  static let playlistName = "playlist.m3u8"
  static let statusName = "status.json"

  private let live: LiveCatalog
  private let status: @Sendable () -> [UInt8]
  private let queue = DispatchQueue(label: "feedfs.generated")
  private let playlist = NIOLockedValueBox<(content: [UInt8], revision: Int)?>(nil)
  private let statusSize = NIOLockedValueBox<Int?>(nil)

  init(_ live: LiveCatalog, status: @escaping @Sendable () -> [UInt8]) {
    self.live = live
    self.status = status
  }

  /// Bytes: of the playlist as it is, of the status as it was when somebody last looked.
  func size(of inode: UInt64) -> Int {
    if inode == ReservedInode.playlist { return currentPlaylist.count }
    return statusSize.withLockedValue { $0 } ?? currentStatus.count
  }

  func open(_ inode: UInt64, _ reply: OpenReply) {
    queue.async { [self] in
      let content = inode == ReservedInode.playlist ? currentPlaylist : currentStatus
      reply.opened(GeneratedFile(content), .none)
    }
  }

  private var currentPlaylist: [UInt8] {
    let revision = live.revision
    if let made = playlist.withLockedValue({ $0 }), made.revision == revision {
      return made.content
    }
    let content = Playlist.m3u8(of: live.catalog)
    playlist.withLockedValue { $0 = (content, revision) }
    return content
  }

  private var currentStatus: [UInt8] {
    let content = status()
    statusSize.withLockedValue { $0 = content.count }
    return content
  }
}

/// One open descriptor of a generated file: its content is that of the time of the open.
private final class GeneratedFile: OpenFile {
  private let content: [UInt8]

  init(_ content: [UInt8]) {
    self.content = content
  }

  func read(_ range: Range<Int>, reply: ReadReply) {
    let part = Array(content[range.clamped(to: 0..<content.count)])
    _ = reply.bytes(part.span.bytes)
  }

  func close() {}
}
