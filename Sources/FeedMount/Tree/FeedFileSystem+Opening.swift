import Catalog
import Filling
import Fuse
import Glibc
import Locks
import Resolving
import Storage
import SystemPackage

/// Opens files.
extension FeedFileSystem {
  func open(_ inode: NodeID, reply: OpenReply) {
    do throws(Errno) {
      switch try node(inode) {
      case .root, .control, .titles, .news, .started: throw .isDirectory
      case .titleLink, .titleSidecar: throw .tooManySymbolicLinkLevels
      case .document(let number):
        guard let document = documents.document(inode: number) else { throw .staleNFSFileHandle }
        documents.open(document, reply)
      case .sidecar(let number, let index):
        sidecars.open(try sidecar(number, index), reply)
      case .entry(let number): try openEntry(number, reply)
      }
    } catch {
      reply.fail(error)
    }
  }

  private func openEntry(_ inode: UInt64, _ reply: OpenReply) throws(Errno) {
    if let version = live.openAgain(inode) { return try open(version, reply) }
    // The version's cache files must be opened first. The disk can take any time for this, so the
    // open waits while a thread of `readers` does it.
    let wait = DiskOpen()
    let mayWait = reply.willWait(
      for: "the disk", story: { "the cached files of the entry are being opened" },
      cancel: { if wait.end() { reply.fail(.ioError) } })
    guard mayWait else { throw .ioError }
    readers.read(of: inode) { [self] in open(inode, reply, unlessEnded: wait) }
  }

  private func open(_ inode: UInt64, _ reply: OpenReply, unlessEnded wait: DiskOpen) {
    let found = Result { () throws(Errno) in try version(of: inode, for: reply) }
    guard wait.end() else {
      if case .success(let version) = found { live.closed(version) }
      return
    }
    do throws(Errno) {
      try open(try found.get(), reply)
    } catch {
      reply.fail(error)
    }
  }

  private func open(_ version: EntryVersion, _ reply: OpenReply) throws(Errno) {
    guard !reply.passesThrough else { return try passThrough(to: version, reply) }
    if version.origin.isPage { version.origin.serve(PageAsker(of: reply.processes)) }
    opened(version, reply.program)
    live.served(version)
    version.filler.prove(KernelOpen(reply: reply, version: version, live: live))
  }

  private func version(of inode: UInt64, for reply: OpenReply) throws(Errno) -> EntryVersion {
    do throws(Errno) {
      return try live.open(inode)
    } catch {
      live.turnedAway(reply.thread)
      throw error
    }
  }

  /// Opens `version` for passthrough. Throws ESTALE if blocks were lost after passthrough was
  /// allowed. The kernel then looks the name up again, and the daemon serves the program's next
  /// open.
  private func passThrough(to version: EntryVersion, _ reply: OpenReply) throws(Errno) {
    let isLent =
      version.file.map { file in
        file.isDurable
          && file.lendDescriptor { descriptor in
            opened(version, reply.program)
            reply.opened(
              EntryReader(
                version, in: live, by: reply.program,
                isPlayer: PageAsker(of: reply.processes) == .player, passesThrough: true),
              .passthrough(descriptor))
          }
      } ?? false
    guard isLent else {
      live.sentBack(reply.thread, from: version.inode)
      live.closed(version)
      throw .staleNFSFileHandle
    }
  }
}

/// Says whether an open still waits for the disk to open the cache files. The disk's thread and a
/// cancellation can both end the wait. Only the one that ends it first answers the open.
private final class DiskOpen: Sendable {
  private let hasEnded = Locked(false)

  /// Ends the wait. Returns false if it has already ended.
  func end() -> Bool {
    hasEnded.withLock { hasEnded in
      defer { hasEnded = true }
      return !hasEnded
    }
  }
}
