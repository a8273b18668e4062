import Catalog
import Dispatch
import FeedReading
import Fuse
import Host
import Locks
import Storage
import SystemPackage
import World

/// The files whose content is made when they are opened, such as the playlist, the listing and the
/// status.
///
/// Safe from any thread. Content for opens is made on a queue of its own, so that a long list
/// delays no other request.
final class GeneratedFiles: Sendable {
  /// A generated file.
  struct Document: Sendable {
    let inode: UInt64
    let name: String
    /// The folder that contains the file.
    let folder: FeedNode
    /// Returns a number that grows when the content changes. Nil if the content can change at any
    /// time.
    let revision: (@Sendable () -> Int)?
    /// True when the content takes long to make, so `stat` does not wait for it.
    var isLong = false
    let make: @Sendable () -> Pieces
  }

  private struct Made {
    var size = 0
    /// The content, as long as it is up to date; nil for a document without revision.
    var content: Spool?
    var revision: Int?
    /// True while new content is being made for a `stat` that needs its size.
    var isAwaited = false
  }

  let documents: [Document]
  private let folder: @Sendable () -> FilePath
  private let queue: any JobQueue
  /// Reads long content back from the disk. The disk can hang, so no thread that serves the mount
  /// waits for it.
  private let reading: any JobQueue
  private let made = Locked<[UInt64: Made]>([:])

  /// - Parameter folder: returns the directory on disk in which long content is spooled while it is
  ///   open.
  init(
    _ documents: [Document], in world: World,
    spooledIn folder: @escaping @Sendable () -> FilePath
  ) {
    self.documents = documents
    queue = world.jobs("feedfs.generated")
    reading = world.jobs("feedfs.spool")
    self.folder = folder
  }

  func document(named name: String, in folder: FeedNode) -> Document? {
    documents.first { $0.name == name && $0.folder == folder }
  }

  func document(inode: UInt64) -> Document? {
    documents.first { $0.inode == inode }
  }

  /// Returns the size in bytes of the current content. For a document without revision, or one that
  /// takes long to make, it is the size of the content made last.
  func size(of document: Document) -> Int {
    if document.isLong { return lastSize(of: document) }
    if document.revision == nil, let last = made.withLock({ $0[document.inode] }) {
      return last.size
    }
    return content(of: document).count
  }

  /// Returns the size of the content made last. If that content is outdated, it is made again in
  /// the background, for the next caller.
  private func lastSize(of document: Document) -> Int {
    let revision = document.revision?()
    let (size, isStale) = made.withLock { made in
      var last = made[document.inode, default: Made()]
      let isStale = !last.isAwaited && (revision == nil || last.revision != revision)
      last.isAwaited = last.isAwaited || isStale
      made[document.inode] = last
      return (last.size, isStale)
    }
    if isStale { queue.add { [self] in _ = content(of: document) } }
    return size
  }

  func open(_ document: Document, _ reply: OpenReply) {
    queue.add { [self] in
      reply.opened(SpooledFile(content(of: document), reading), .none)
    }
  }

  private func content(of document: Document) -> Spool {
    let revision = document.revision?()
    if let revision, let last = made.withLock({ $0[document.inode] }),
      last.revision == revision, let content = last.content
    {
      return content
    }
    let pieces = document.make()
    let content = Spool(in: folder(), pieces: pieces.count) { pieces[$0] }
    if content.isOnDisk { HeapMemory.giveBack() }
    made.withLock {
      $0[document.inode] = Made(
        size: content.count, content: revision == nil ? nil : content, revision: revision)
    }
    return content
  }
}

/// An open descriptor of a file whose content was made by the open.
private final class SpooledFile: OpenFile {
  private let content: Spool
  private let queue: any JobQueue

  init(_ content: Spool, _ queue: any JobQueue) {
    self.content = content
    self.queue = queue
  }

  func read(_ range: Range<Int>, reply: ReadReply) {
    guard content.isOnDisk else { return answer(range, reply) }
    queue.add { [self] in answer(range, reply) }
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
