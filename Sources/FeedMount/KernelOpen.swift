import Blocks
import Fuse
import Streaming
import SystemPackage

/// An open of the kernel, as the heart sees it.
struct KernelOpen: ProofReceiver {
  let reply: OpenReply
  let version: EntryVersion
  let live: LiveCatalog
  /// Whether the length was proved before this open, so that `stat` has said it.
  let wasProved: Bool

  func willWait(cancel: @escaping @Sendable () -> Void) -> Bool {
    reply.willWait(
      for: version.originName, story: { version.filler.description }, cancel: cancel)
  }

  func proved(_ representation: Representation) {
    let open: @Sendable () -> Void = { [self] in
      reply.opened(EntryReader(version, in: live, by: reply.program), .keep)
    }
    if wasProved { open() } else { live.announce(version, then: open) }
  }

  func fail(_ error: StreamError) {
    reply.fail(error.errno)
    live.closed(version)
  }
}
