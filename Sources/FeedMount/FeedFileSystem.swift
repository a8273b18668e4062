import Feeds
import Fuse
import Glibc
import Storage
import Streaming
import SystemPackage

/// The tree of one feed: its entries, the views on them, and what the mount says of it.
///
/// ```
/// 0001.mp4 0001.en.vtt …   the entries and their sidecars
/// playlist.m3u8
/// by-title/                links
/// .feedfs/                 what the mount says of itself
/// ```
/// Names and attributes are answered from memory.
final class FeedFileSystem: ReadOnlyFileSystem {
  /// A link always leads to the same name; the kernel is told when its own name is another's.
  private static let linkValidity = Duration.seconds(60)

  static let controlName = ".feedfs"
  static let titlesName = "by-title"

  /// Where entries stand in a listing: behind the fixed names, by number.
  private static let firstEntryCookie = 16

  private let live: LiveCatalog
  private let facts: EntryFacts
  private let documents: GeneratedFiles
  private let sidecars: SidecarFiles
  private let space: InodeSpace
  private let started: Int
  private let opened: @Sendable (EntryVersion, _ program: String) -> Void

  /// - Parameters:
  ///   - space: where the inodes of this feed lie.
  ///   - started: seconds since 1970, the time of what belongs to no entry.
  ///   - opened: told of each open of an entry, and by which program.
  init(
    _ live: LiveCatalog, facts: EntryFacts, documents: GeneratedFiles, sidecars: SidecarFiles,
    space: InodeSpace, started: Int,
    opened: @escaping @Sendable (EntryVersion, _ program: String) -> Void
  ) {
    self.live = live
    self.facts = facts
    self.documents = documents
    self.sidecars = sidecars
    self.space = space
    self.started = started
    self.opened = opened
  }

  // MARK: Names

  func lookup(_ name: String, in directory: NodeID) throws(Errno) -> Attributes {
    let folder = try node(directory)
    if let document = documents.document(named: name, in: folder) { return file(document) }
    switch folder {
    case .root:
      if name == Self.controlName { return self.directory(.control) }
      if name == Self.titlesName { return self.directory(.titles) }
      if let entry = live.entry(named: name) { return facts.attributes(of: entry) }
      if let sidecar = sidecars.named(name) { return attributes(of: sidecar) }
    case .titles:
      if let item = titleItem(named: name) { return item }
    case .control: break
    default: throw .notDirectory
    }
    throw .noSuchFileOrDirectory
  }

  func attributes(of inode: NodeID) throws(Errno) -> Attributes {
    switch try node(inode) {
    case .root, .control, .titles: return directory(try node(inode))
    case .document(let number):
      guard let document = documents.document(inode: number) else { throw .staleNFSFileHandle }
      return file(document)
    case .entry(let number):
      if let entry = live.entry(inode: number) { return facts.attributes(of: entry) }
      guard let version = live.version(of: number) else { throw .staleNFSFileHandle }
      return facts.attributes(of: version)
    case .sidecar(let number, let index):
      return attributes(of: try sidecar(number, index))
    case .titleLink(let number):
      return link(to: try entry(number))
    case .titleSidecar(let number, let index):
      return link(to: try sidecar(number, index))
    }
  }

  func items(
    of directory: NodeID, after cookie: Int, limit: Int
  ) throws(Errno) -> [DirectoryItem] {
    let folder = try node(directory)
    var fixed = fixedItems(of: folder).filter { $0.cookie > cookie }
    guard folder == .root || folder == .titles else { return fixed }
    // The number whose names were not all told, and those behind it.
    let place = max(cookie - Self.firstEntryCookie, 0)
    for entry in live.listed(after: place / FeedNode.mostSidecars - 1, limit: limit) {
      fixed += items(of: entry, in: folder).filter { $0.cookie > cookie }
      if fixed.count >= limit { break }
    }
    return fixed
  }

  func target(of link: NodeID) throws(Errno) -> String {
    switch try node(link) {
    case .titleLink(let number): return "../" + (try entry(number)).name
    case .titleSidecar(let number, let index): return "../" + (try sidecar(number, index)).name
    default: throw .invalidArgument
    }
  }

  // MARK: Extended attributes

  func attributeNames(of inode: NodeID) throws(Errno) -> [String] {
    switch try node(inode) {
    case .root where space == .whole: [EntryFacts.processName]
    case .entry(let number): live.entry(inode: number).map { facts.names(of: $0) } ?? []
    default: []
    }
  }

  func attribute(_ name: String, of inode: NodeID) throws(Errno) -> String {
    // `ls` asks two others of each file.
    guard name.hasPrefix("user.") else { throw .noData }
    switch try node(inode) {
    case .root where space == .whole && name == EntryFacts.processName: return "\(getpid())"
    case .entry(let number):
      guard let entry = live.entry(inode: number), let value = facts.value(name, of: entry)
      else { throw .noData }
      return value
    default: throw .noData
    }
  }

  func statistics() -> Statistics {
    live.statistics
  }

  // MARK: Opening

  func open(_ inode: NodeID, reply: OpenReply) {
    do throws(Errno) {
      switch try node(inode) {
      case .root, .control, .titles: throw .isDirectory
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
    let version = try live.open(inode)
    guard !reply.passesThrough else { return try passThrough(to: version, reply) }
    opened(version, reply.program)
    live.served(version)
    let wasProved = version.filler.representation != nil
    version.filler.prove(
      KernelOpen(reply: reply, version: version, live: live, wasProved: wasProved))
  }

  /// ESTALE where blocks were lost since the kernel was told that it may: it looks the name up again,
  /// and opens what we read.
  private func passThrough(to version: EntryVersion, _ reply: OpenReply) throws(Errno) {
    guard let file = version.file, file.isSound else {
      live.closed(version)
      throw .staleNFSFileHandle
    }
    opened(version, reply.program)
    reply.opened(
      EntryReader(version, in: live, by: reply.program, passesThrough: true),
      .passthrough(file.descriptor))
  }

  // MARK: What an inode stands for

  private func node(_ node: NodeID) throws(Errno) -> FeedNode {
    guard let node = FeedNode(inode: space.number(of: node)) else { throw .staleNFSFileHandle }
    return node
  }

  private func entry(_ number: Int) throws(Errno) -> CatalogEntry {
    guard let entry = live.entry(number: number), !entry.isRemoved else {
      throw .staleNFSFileHandle
    }
    return entry
  }

  private func sidecar(_ number: Int, _ index: Int) throws(Errno) -> SidecarFiles.Item {
    guard let item = sidecars.item(of: try entry(number), at: index) else {
      throw .staleNFSFileHandle
    }
    return item
  }

  // MARK: What a listing is made of

  private func fixedItems(of folder: FeedNode) -> [DirectoryItem] {
    var items = documents.documents.filter { $0.folder == folder }.map {
      DirectoryItem(name: $0.name, attributes: file($0), cookie: Int($0.inode))
    }
    if folder == .root {
      for (name, node) in [(Self.controlName, FeedNode.control), (Self.titlesName, .titles)] {
        items.append(
          DirectoryItem(name: name, attributes: directory(node), cookie: Int(node.inode)))
      }
    }
    return items.sorted { $0.cookie < $1.cookie }
  }

  private func items(of entry: CatalogEntry, in folder: FeedNode) -> [DirectoryItem] {
    let isRoot = folder == .root
    let cookie = Self.firstEntryCookie + entry.number * FeedNode.mostSidecars
    let first = DirectoryItem(
      name: isRoot ? entry.name : entry.titleName,
      attributes: isRoot ? facts.attributes(of: entry) : link(to: entry), cookie: cookie)
    return [first]
      + sidecars.items(of: entry).map { item in
        DirectoryItem(
          name: isRoot ? item.name : item.titleName,
          attributes: isRoot ? attributes(of: item) : link(to: item),
          cookie: cookie + 1 + item.index)
      }
  }

  private func titleItem(named name: String) -> Attributes? {
    if let entry = live.entry(titled: name) { return link(to: entry) }
    return sidecars.titled(name).map { link(to: $0) }
  }

  // MARK: Attributes

  private func directory(_ node: FeedNode) -> Attributes {
    Attributes(
      inode: space.node(node.inode), kind: .directory, size: 4096, storedBytes: 0,
      modified: node == .control ? started : max(started, live.changedAt), validity: .seconds(1))
  }

  /// Whatever its size was said to be, what an open makes is read to its end.
  private func file(_ document: GeneratedFiles.Document) -> Attributes {
    let size = documents.size(of: document)
    return Attributes(
      inode: space.node(document.inode), kind: .file, size: size, storedBytes: size,
      modified: started, validity: .zero)
  }

  private func attributes(of item: SidecarFiles.Item) -> Attributes {
    let size = sidecars.size(of: item) ?? 0
    return Attributes(
      inode: space.node(item.node.inode), kind: .file, size: size, storedBytes: size,
      modified: item.modified, validity: .zero)
  }

  private func link(to entry: CatalogEntry) -> Attributes {
    link(.titleLink(number: entry.number), to: entry.name, modified: entry.modified)
  }

  private func link(to item: SidecarFiles.Item) -> Attributes {
    link(
      .titleSidecar(number: item.number, index: item.index), to: item.name,
      modified: item.modified)
  }

  private func link(_ node: FeedNode, to name: String, modified: Int) -> Attributes {
    Attributes(
      inode: space.node(node.inode), kind: .link, size: name.utf8.count + 3, storedBytes: 0,
      modified: modified, validity: Self.linkValidity)
  }
}
