import Blocks
import Filling
import Fuse
import Host
import SystemPackage

/// A request for the attributes of an entry that waits for the proof of its size.
///
/// Only archivers, browsers and some calls of rsync wait here for a size. Archivers write the size
/// into the archive before they open the file, and then write exactly as many bytes. Browsers read
/// no further than the size. rsync with some options leaves a file out because of its size.
struct KernelStat: ProofReceiver {
  /// Returns true if the program that opens a file reads no further than the size that it was told.
  static func goesByItsSize(_ reply: OpenReply) -> Bool {
    var names = reply.names
    if names.contains(where: { ProgramKind(of: $0) == .collection }) {
      names += reply.arguments.prefix(1)
    }
    return names.contains { ProgramKind(of: $0)?.goesBySize ?? false }
  }

  /// True if the program that asks needs the true size. A browser that shows a folder asks for the
  /// size of every file in it, and gets each answer at once.
  static func mustWait(_ reply: AttributesReply) -> Bool {
    switch ProgramKind(of: reply.program) {
    case .archiver: true
    case .browser: !reply.isListing
    case .collection: reply.arguments.first.flatMap(ProgramKind.init(of:)) == .archiver
    case .synchronizer: reply.arguments.contains(where: comparesSizes)
    case .copier, .scanner, .looker, .player, nil: false
    }
  }

  /// Returns true if this argument makes rsync leave files out because of their sizes. With it,
  /// rsync asks for the size of a file before it opens the file.
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

  func fail(_ error: ReadError) {
    reply.fail(error.errno)
    live.closed(version)
  }
}
