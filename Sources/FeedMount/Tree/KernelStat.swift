import Blocks
import Fuse
import Streaming
import SystemPackage

/// A question for the attributes of an entry that waits for the proof of its size, as the heart sees it.
///
/// No program is told a size by `stat` that it has to wait for, but those that take no other: they write it
/// into the head of an archive before they open the file, and then as many bytes as that.
struct KernelStat: ProofReceiver {
  /// Programs, by their names, that do not look at the size again after the open.
  static let archivers: Set<String> = [
    "7z", "7za", "7zr", "7zz", "bsdcpio", "bsdtar", "cpio", "genisoimage", "mkisofs", "pax", "tar",
    "xorriso",
  ]

  let reply: AttributesReply
  let version: EntryVersion
  let live: LiveCatalog
  /// Makes the answer when the size is proved.
  let answer: @Sendable () throws(Errno) -> Attributes

  func willWait(cancel: @escaping @Sendable () -> Void) -> Bool {
    reply.willWait(
      for: version.originName, story: { version.filler.description }, cancel: cancel)
  }

  func proved(_ representation: Representation) {
    live.learned(representation, of: version.inode)
    do throws(Errno) {
      reply.attributes(try answer())
    } catch {
      reply.fail(error)
    }
    live.closed(version)
  }

  func fail(_ error: StreamError) {
    reply.fail(error.errno)
    live.closed(version)
  }
}
