import Blocks
import Fuse
import Streaming
import SystemPackage

/// A request for the attributes of an entry that waits for the proof of its size.
///
/// Only archivers and browsers wait here for a size. Archivers write the size into the archive before
/// they open the file, and then write exactly as many bytes. Browsers read no further than it says.
struct KernelStat: ProofReceiver {
  /// The names of programs that do not check the size again after the open.
  static let archivers: Set<String> = [
    "7z", "7za", "7zr", "7zz", "bsdcpio", "bsdtar", "cpio", "genisoimage", "mkisofs", "pax", "tar",
    "xorriso",
  ]

  /// The names of programs that open a file, ask for its size, and copy as many bytes. Their `open` of
  /// a file that grows waits for its end. Node calls its threads by names of their own. `cksum`, busybox's
  /// `gzip` and `zip` take an error of a read for the end of the file, but not one of the open.
  static let copiers: Set<String> = [
    "MainThread", "ar", "bun", "cksum", "curl", "deno", "gzip", "libuv-worker", "node",
    "node-MainThread", "rsync", "scp", "zip", "zstd",
  ]

  /// Returns whether the program that opens a file reads no further than to the size that it has been
  /// told.
  static func goesByItsSize(_ reply: OpenReply) -> Bool {
    var names = reply.names
    if names.contains(where: collections.contains) { names += reply.arguments.prefix(1) }
    return names.contains { copiers.contains($0) || archivers.contains($0) }
  }

  /// The names of programs that are many in one. Their first argument says which.
  static let collections: Set<String> = ["busybox", "toybox"]

  /// The name of the threads on which Chromium, and what is built on it, asks for a file that it
  /// opens next; cut by Linux to 15 bytes.
  static let browserThread = "ThreadPoolForeg"

  /// True if the program that asks needs the true size. A browser that shows a folder asks for every
  /// file in it, and waits for none of them.
  static func mustWait(_ reply: AttributesReply) -> Bool {
    let program = reply.program
    if collections.contains(program) { return archivers.contains(reply.arguments.first ?? "") }
    if program == "rsync" { return reply.arguments.contains(where: comparesSizes) }
    return archivers.contains(program) || program == browserThread && !reply.isListing
  }

  /// Returns whether rsync, with this argument, leaves a file out because of its size. It asks for that
  /// before it opens the file.
  private static func comparesSizes(_ argument: String) -> Bool {
    argument == "--size-only" || argument.hasPrefix("--append")
  }

  let reply: AttributesReply
  let version: EntryVersion
  let live: LiveCatalog
  /// Makes the answer once the size is proved.
  let answer: @Sendable () throws(Errno) -> Attributes

  func willWait(cancel: @escaping @Sendable () -> Void) -> Bool {
    reply.willWait(
      for: version.originName, story: { version.filler.description },
      silence: { version.filler.silence }, cancel: cancel)
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

  func grows() -> Bool { false }

  func fail(_ error: StreamError) {
    reply.fail(error.errno)
    live.closed(version)
  }
}
