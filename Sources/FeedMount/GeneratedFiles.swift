import Dispatch
import Feeds
import Fuse
import NIOConcurrencyHelpers

/// The files whose content is made at each open: the playlist and the status.
///
/// Safe from any thread; content is made on a queue of its own, so that a long list holds up nobody.
final class GeneratedFiles: Sendable {
  static let playlistName = "playlist.m3u8"
  static let statusName = "status.json"

  private let playlist: @Sendable () -> [UInt8]
  private let status: @Sendable () -> [UInt8]
  private let queue = DispatchQueue(label: "feedfs.generated")
  private let sizes = NIOLockedValueBox<[UInt64: Int]>([:])

  init(
    playlist: @escaping @Sendable () -> [UInt8], status: @escaping @Sendable () -> [UInt8]
  ) {
    self.playlist = playlist
    self.status = status
  }

  /// Bytes of what was made last.
  func size(of inode: UInt64) -> Int {
    sizes.withLockedValue { $0[inode, default: 0] }
  }

  func open(_ inode: UInt64, _ reply: OpenReply) {
    queue.async { [self] in
      let content = inode == ReservedInode.playlist ? playlist() : status()
      sizes.withLockedValue { $0[inode] = content.count }
      reply.opened(GeneratedFile(content), .none)
    }
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
