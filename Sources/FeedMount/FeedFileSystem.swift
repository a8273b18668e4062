import Feeds
import Fuse
import Glibc
import Streaming
import SystemPackage

/// The tree that users see: the entries, the playlist, and what the mount says of itself.
///
/// Names and attributes are answered from memory.
final class FeedFileSystem: ReadOnlyFileSystem {
  /// Where entries stand in the listing: behind the fixed names, by number.
  private static let firstEntryCookie = 16

  private let live: LiveCatalog
  private let facts: EntryFacts
  private let generated: GeneratedFiles
  private let started: Int
  private let opened: @Sendable (EntryVersion) -> Void

  /// - Parameters:
  ///   - started: seconds since 1970, the time of what belongs to no entry.
  ///   - opened: told of each open of an entry.
  init(
    _ live: LiveCatalog, generated: GeneratedFiles, started: Int,
    opened: @escaping @Sendable (EntryVersion) -> Void
  ) {
    self.live = live
    self.generated = generated
    self.started = started
    self.opened = opened
    facts = EntryFacts(live)
  }

  // MARK: Names

  func lookup(_ name: String, in directory: NodeID) throws(Errno) -> Attributes {
    switch (directory.number, name) {
    case (ReservedInode.root, ".feedfs"): return self.directory(ReservedInode.control)
    case (ReservedInode.root, GeneratedFiles.playlistName): return file(ReservedInode.playlist)
    case (ReservedInode.control, GeneratedFiles.statusName): return file(ReservedInode.status)
    case (ReservedInode.root, _):
      guard let entry = live.entry(named: name) else { throw .noSuchFileOrDirectory }
      return facts.attributes(of: entry)
    case (ReservedInode.control, _): throw .noSuchFileOrDirectory
    default: throw .notDirectory
    }
  }

  func attributes(of inode: NodeID) throws(Errno) -> Attributes {
    switch inode.number {
    case ReservedInode.root, ReservedInode.control: return directory(inode.number)
    case ReservedInode.playlist, ReservedInode.status: return file(inode.number)
    default:
      if let entry = live.entry(inode: inode.number) { return facts.attributes(of: entry) }
      guard let version = live.version(of: inode.number) else { throw .staleNFSFileHandle }
      return facts.attributes(of: version)
    }
  }

  func items(
    of directory: NodeID, after cookie: Int, limit: Int
  ) throws(Errno) -> [DirectoryItem] {
    switch directory.number {
    case ReservedInode.root:
      let fixed = rootItems.filter { $0.cookie > cookie }
      let entries = live.listed(after: cookie - Self.firstEntryCookie, limit: limit)
      return fixed + entries.map { item(for: $0) }
    case ReservedInode.control: return controlItems.filter { $0.cookie > cookie }
    default: throw .notDirectory
    }
  }

  func target(of link: NodeID) throws(Errno) -> String {
    throw .invalidArgument
  }

  // MARK: Extended attributes

  func attributeNames(of inode: NodeID) throws(Errno) -> [String] {
    if inode == .root { return [EntryFacts.processName] }
    return live.entry(inode: inode.number).map { facts.names(of: $0) } ?? []
  }

  func attribute(_ name: String, of inode: NodeID) throws(Errno) -> String {
    // `ls` asks two others of each file.
    guard name.hasPrefix("user.") else { throw .noData }
    if inode == .root && name == EntryFacts.processName { return "\(getpid())" }
    guard let entry = live.entry(inode: inode.number), let value = facts.value(name, of: entry)
    else { throw .noData }
    return value
  }

  func statistics() -> Statistics {
    let catalog = live.catalog
    let sizes = catalog.listed.lazy.map { $0.known?.length ?? $0.claimedLength ?? 0 }
    return Statistics(files: catalog.entries.count, bytes: sizes.reduce(0) { $0 &+ max(0, $1) })
  }

  // MARK: Opening

  func open(_ inode: NodeID, reply: OpenReply) {
    switch inode.number {
    case ReservedInode.playlist, ReservedInode.status: generated.open(inode.number, reply)
    case ReservedInode.root, ReservedInode.control: reply.fail(.isDirectory)
    default: openEntry(inode, reply)
    }
  }

  private func openEntry(_ inode: NodeID, _ reply: OpenReply) {
    do throws(Errno) {
      let version = try live.open(inode.number)
      opened(version)
      let wasProved = version.filler.representation != nil
      version.filler.prove(
        KernelOpen(reply: reply, version: version, live: live, wasProved: wasProved))
    } catch {
      reply.fail(error)
    }
  }

  // MARK: Private

  private var rootItems: [DirectoryItem] {
    [
      DirectoryItem(
        name: ".feedfs", attributes: directory(ReservedInode.control), cookie: 1),
      DirectoryItem(
        name: GeneratedFiles.playlistName, attributes: file(ReservedInode.playlist), cookie: 2),
    ]
  }

  private var controlItems: [DirectoryItem] {
    [
      DirectoryItem(
        name: GeneratedFiles.statusName, attributes: file(ReservedInode.status), cookie: 1)
    ]
  }

  private func item(for entry: CatalogEntry) -> DirectoryItem {
    DirectoryItem(
      name: entry.name, attributes: facts.attributes(of: entry),
      cookie: Self.firstEntryCookie + entry.number)
  }

  private func directory(_ inode: UInt64) -> Attributes {
    Attributes(
      inode: NodeID(number: inode), kind: .directory, size: 4096, storedBytes: 0,
      modified: started, validity: .seconds(1))
  }

  /// Whatever its size was said to be, what an open makes is read to its end.
  private func file(_ inode: UInt64) -> Attributes {
    let size = generated.size(of: inode)
    return Attributes(
      inode: NodeID(number: inode), kind: .file, size: size, storedBytes: size,
      modified: started, validity: .zero)
  }
}
