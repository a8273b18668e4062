import Blocks
import Fuse
import Streaming
import SystemPackage

/// An open of the kernel, as the heart sees it.
struct KernelOpen: ProofReceiver {
  let reply: OpenReply
  let version: EntryVersion
  let live: LiveCatalog

  func willWait(cancel: @escaping @Sendable () -> Void) -> Bool {
    reply.willWait(for: version.originName, cancel: cancel)
  }

  func proved(_ representation: Representation) {
    reply.opened(EntryReader(version, in: live, by: reply.program), .keep)
  }

  func fail(_ error: StreamError) {
    reply.fail(error.errno)
    live.closed(version)
  }
}
