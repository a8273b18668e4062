import Blocks
import Fuse
import Streaming
import SystemPackage

/// An open request of the kernel, as the filler's `ProofReceiver`.
struct KernelOpen: ProofReceiver {
  let reply: OpenReply
  let version: EntryVersion
  let live: LiveCatalog

  func willWait(cancel: @escaping @Sendable () -> Void) -> Bool {
    reply.willWait(
      for: version.originName, story: { version.filler.description }, cancel: cancel)
  }

  var isLooker: Bool { EntryReader.isLooker(reply.program) }

  private var reader: EntryReader {
    EntryReader(
      version, in: live, by: reply.program, isPlayer: PageAsker(of: reply.processes) == .player)
  }

  func proved(_ representation: Representation) {
    live.settleSize(of: version, representation, for: reply.thread) { [self] isSettled in
      if isSettled {
        reply.opened(reader, .keep)
      } else {
        reply.fail(.staleNFSFileHandle)
        live.closed(version)
      }
    }
  }

  func grows() -> Bool {
    reply.opened(reader, .grows)
    return true
  }

  func fail(_ error: StreamError) {
    // Such a file can be opened later, and the status says when.
    let isPostponed = error == .unreachable && version.origin.postponedUntil != nil
    reply.fail(isPostponed ? .resourceBusy : error.errno)
    live.closed(version)
  }
}
