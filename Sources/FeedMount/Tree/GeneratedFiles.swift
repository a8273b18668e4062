import Dispatch
import Feeds
import Fuse
import NIOConcurrencyHelpers
import Storage
import SystemPackage

/// The files whose content is made at each open: the playlist, the listing, the status.
///
/// Safe from any thread; what opens need is made on a queue of its own, so that a long list holds up
/// nobody.
final class GeneratedFiles: Sendable {
  /// One of them.
  struct Document: Sendable {
    let inode: UInt64
    let name: String
    /// The directory it lies in.
    let folder: FeedNode
    /// A number that grows when the content has become another; nil: it always may have.
    let revision: (@Sendable () -> Int)?
    /// It is long in the making, so `stat` does not wait for it.
    var isLong = false
    let make: @Sendable () -> Pieces
  }

  private struct Made {
    var size = 0
    /// Kept as long as it is what would be made now.
    var content: Spool?
    var revision: Int?
    /// Somebody wants to know its size.
    var isAwaited = false
  }

  let documents: [Document]
  private let folder: @Sendable () -> FilePath
  private let queue = DispatchQueue(label: "feedfs.generated")
  private let made = NIOLockedValueBox<[UInt64: Made]>([:])

  /// - Parameter folder: on the disk where long ones may lie while they are open.
  init(_ documents: [Document], spooledIn folder: @escaping @Sendable () -> FilePath) {
    self.documents = documents
    self.folder = folder
  }

  func document(named name: String, in folder: FeedNode) -> Document? {
    documents.first { $0.name == name && $0.folder == folder }
  }

  func document(inode: UInt64) -> Document? {
    documents.first { $0.inode == inode }
  }

  /// Bytes: of what would be read now; of one that always changes, when somebody last looked, and of
  /// one that is long in the making, when it was last made.
  func size(of document: Document) -> Int {
    if document.isLong { return lastSize(of: document) }
    if document.revision == nil, let last = made.withLockedValue({ $0[document.inode] }) {
      return last.size
    }
    return content(of: document).count
  }

  /// Has it made in the background, so that the next one who asks is told better.
  private func lastSize(of document: Document) -> Int {
    let revision = document.revision?()
    let (size, isStale) = made.withLockedValue { made in
      var last = made[document.inode, default: Made()]
      let isStale = !last.isAwaited && (revision == nil || last.revision != revision)
      last.isAwaited = last.isAwaited || isStale
      made[document.inode] = last
      return (last.size, isStale)
    }
    if isStale { queue.async { [self] in _ = content(of: document) } }
    return size
  }

  func open(_ document: Document, _ reply: OpenReply) {
    queue.async { [self] in reply.opened(SpooledFile(content(of: document)), .none) }
  }

  private func content(of document: Document) -> Spool {
    let revision = document.revision?()
    if let revision, let last = made.withLockedValue({ $0[document.inode] }),
      last.revision == revision, let content = last.content
    {
      return content
    }
    let pieces = document.make()
    let content = Spool(in: folder(), pieces: pieces.count) { pieces[$0] }
    if content.isOnDisk { HeapMemory.giveBack() }
    made.withLockedValue {
      $0[document.inode] = Made(
        size: content.count, content: revision == nil ? nil : content, revision: revision)
    }
    return content
  }
}

/// One open descriptor of a file that was made when it was opened.
private final class SpooledFile: OpenFile {
  /// For what lies on a disk, which may hang: no thread that serves the mount waits for it.
  private static let queue = DispatchQueue(label: "feedfs.spool")

  private let content: Spool

  init(_ content: Spool) {
    self.content = content
  }

  func read(_ range: Range<Int>, reply: ReadReply) {
    guard content.isOnDisk else { return answer(range, reply) }
    Self.queue.async { [self] in answer(range, reply) }
  }

  func close() {}

  private func answer(_ range: Range<Int>, _ reply: ReadReply) {
    do throws(Errno) {
      let part = try content.read(range)
      _ = reply.bytes(part.span.bytes)
    } catch {
      reply.fail(error)
    }
  }
}
