import Blocks
import Filling
import Fuse
import Host
import Resolving
import SystemPackage

/// An open request of the kernel, as the filler's `ProofReceiver`.
struct KernelOpen: ProofReceiver {
  let reply: OpenReply
  let version: EntryVersion
  let live: LiveCatalog

  func willWait(cancel: @escaping @Sendable () -> Void) -> Bool {
    reply.willWait(
      for: version.originName, story: { version.filler.description },
      silence: { version.filler.silence }, cancel: cancel)
  }

  var isLooker: Bool { ProgramKind(of: reply.program) == .looker }

  var isScanner: Bool { ProgramKind(of: reply.program) == .scanner }

  private func reader(grows: Bool = false) -> EntryReader {
    EntryReader(
      version, in: live, by: reply.program, isPlayer: PageAsker(of: reply.processes) == .player,
      grows: grows)
  }

  func proved(_ representation: Representation) {
    live.settleSize(of: version, representation, for: reply.thread) { [self] isSettled in
      if isSettled {
        reply.opened(reader(), .keep)
      } else {
        reply.fail(.staleNFSFileHandle)
        live.closed(version)
      }
    }
  }

  /// Opens the file while it is still growing. Returns false if the program reads no further than
  /// the size that it finds after the open. The open of such a program waits for the proof of the
  /// length.
  func grows() -> Bool {
    guard !KernelStat.goesByItsSize(reply) else { return false }
    live.settleGrowth(of: version, for: reply.thread) { [self] isSettled in
      if isSettled {
        reply.opened(reader(grows: true), .grows)
      } else {
        reply.fail(.staleNFSFileHandle)
        live.closed(version)
      }
    }
    return true
  }

  func fail(_ error: ReadError) {
    // If the entry's web page is to be resolved later, the error is EBUSY, and the status says
    // when.
    let isPostponed = error == .unreachable && version.origin.postponedUntil != nil
    reply.fail(isPostponed ? .resourceBusy : error.errno)
    live.closed(version)
  }
}
