import Blocks
import Fuse
import Streaming
import SystemPackage

/// A read of the kernel, as the heart sees it.
struct KernelRead: ByteReceiver {
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
