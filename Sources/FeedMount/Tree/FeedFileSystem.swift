import Catalog
import Filling
import Fuse
import Glibc
import Host
import Locks
import Storage
import SystemPackage

/// The tree of one feed: its entries, folders of links to them, and the mount's facts about itself.
///
/// ```
/// 0001.mp4 0001.en.vtt …   the entries and their sidecars
/// playlist.m3u8
/// by-title/                links by title, if the files of entries are named by numbers
/// new/ started/            in that case also links to entries that are new, or were begun
/// .feedfs/                 the mount's facts about itself
/// ```
/// Names and attributes are answered from memory.
final class FeedFileSystem: ReadOnlyFileSystem {
  static let controlName = ".feedfs"
  static let titlesName = "by-title"
  static let newsName = "new"
  static let startedName = "started"
  /// The prefix of all names of extended attributes. For a name without it the answer is ENOTSUP:
  /// the file system has no attributes at all. `ls -l` asks for two names without it, and asks no
  /// more after ENOTSUP. After ENODATA it would ask again for each of ten thousand files.
  static let attributePrefix = "user."

  /// The first directory cookie of entries. In a listing, the entries follow the fixed names, by
  /// number.
  static let firstEntryCookie = 16

  let live: LiveCatalog
  let facts: EntryFacts
  let documents: GeneratedFiles
  let sidecars: SidecarFiles
  let space: InodeSpace
  /// The extended attributes of the mount's root; nil if the root is not part of this tree.
  private let root: RootAttributes?
  let started: Int
  let opened: @Sendable (EntryVersion, _ program: String) -> Void
  let readers: DiskReaders

  /// - Parameters:
  ///   - space: the range of this feed's inodes.
  ///   - root: the extended attributes of the mount's root, if this feed has the mount to itself.
  ///   - started: the modification time of generated files, in seconds since 1970. Folders have it
  ///     until they change.
  ///   - readers: the threads that open the cache's files.
  ///   - opened: called at each open of an entry, with the name of the program.
  init(
    _ live: LiveCatalog, facts: EntryFacts, documents: GeneratedFiles, sidecars: SidecarFiles,
    space: InodeSpace, root: RootAttributes?, started: Int, readers: DiskReaders = .ofProcess,
    opened: @escaping @Sendable (EntryVersion, _ program: String) -> Void
  ) {
    self.live = live
    self.facts = facts
    self.documents = documents
    self.sidecars = sidecars
    self.space = space
    self.root = root
    self.started = started
    self.readers = readers
    self.opened = opened
  }

  /// Whether the tree has `by-title`, `new` and `started`. It lacks them if files are not named by
  /// numbers, because a media server would find each file twice.
  var showsTitles: Bool { live.catalog.names == .number }

  // MARK: Names

  func lookup(_ name: String, in directory: NodeID) throws(Errno) -> Attributes {
    let folder = try node(directory)
    if let document = documents.document(named: name, in: folder) { return file(document) }
    switch folder {
    case .root:
      if name == Self.controlName { return self.directory(.control) }
      if showsTitles {
        if name == Self.titlesName { return self.directory(.titles) }
        if name == Self.newsName { return self.directory(.news) }
        if name == Self.startedName { return self.directory(.started) }
      }
      if let glance = live.glance(named: name) { return facts.attributes(of: glance) }
      if let sidecar = sidecars.named(name) { return attributes(of: sidecar) }
    case .titles:
      if let item = titleItem(named: name) { return item }
    case .news, .started:
      if let item = titleItem(named: name, in: folder) { return item }
    case .control: break
    default: throw .notDirectory
    }
    throw .noSuchFileOrDirectory
  }

  func attributes(of inode: NodeID) throws(Errno) -> Attributes {
    switch try node(inode) {
    case .root, .control: return directory(try node(inode))
    case .titles, .news, .started:
      guard showsTitles else { throw .staleNFSFileHandle }
      return directory(try node(inode))
    case .document(let number):
      guard let document = documents.document(inode: number) else { throw .staleNFSFileHandle }
      return file(document)
    case .entry(let number):
      if let glance = live.glance(inode: number) { return facts.attributes(of: glance) }
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

  func parent(of node: NodeID) throws(Errno) -> NodeID {
    let parent: FeedNode =
      switch try self.node(node) {
      case .root, .control, .titles, .news, .started, .entry, .sidecar: .root
      case .titleLink, .titleSidecar: .titles
      case .document(let number):
        documents.document(inode: number)?.folder ?? .root
      }
    return space.node(parent.inode)
  }

  /// Answers GETATTR. This is the only request for attributes that is allowed to wait, because
  /// LOOKUP and READDIRPLUS keep the folder locked. If their answer has attributes with a validity
  /// of zero, the kernel asks again by GETATTR.
  func attributes(of inode: NodeID, reply: AttributesReply) {
    do throws(Errno) {
      let attributes = try attributes(of: inode)
      guard attributes.isClaim, KernelStat.mustWait(reply) else {
        return reply.attributes(attributes)
      }
      try prove(inode, reply)
    } catch {
      reply.fail(error)
    }
  }

  private func prove(_ inode: NodeID, _ reply: AttributesReply) throws(Errno) {
    switch try node(inode) {
    case .entry(let number):
      let version = try live.open(number)
      version.filler.prove(
        KernelStat(reply: reply, version: version, live: live) { [self] () throws(Errno) in
          try attributes(of: inode)
        })
    case .sidecar(let number, let index):
      sidecars.fetch(try sidecar(number, index), reply) { [self] () throws(Errno) in
        try attributes(of: inode)
      }
    case .root, .control, .titles, .news, .started, .document, .titleLink, .titleSidecar:
      reply.attributes(try attributes(of: inode))
    }
  }

  func items(
    of directory: NodeID, after cookie: Int, limit: Int
  ) throws(Errno) -> [DirectoryItem] {
    let folder = try node(directory)
    var items: [DirectoryItem] = []
    if cookie < Self.firstEntryCookie {
      items = fixedItems(of: folder).filter { $0.cookie > cookie }
    }
    guard [.root, .titles, .news, .started].contains(folder) else { return items }
    items.reserveCapacity(items.count + limit)
    // Starts with the entry of `cookie`, because an earlier call might have listed only some of its
    // names.
    let place = max(cookie - Self.firstEntryCookie, 0)
    var last = place / FeedNode.maxSidecars - 1
    while items.count < limit {
      let glances = live.glances(after: last, limit: limit)
      guard let next = glances.last?.entry.number else { break }
      for glance in glances where items.count < limit && holds(glance.entry.mark, folder) {
        add(glance, in: folder, after: cookie, to: &items)
      }
      last = next
    }
    return items
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
    case .root: root?.names ?? []
    case .entry(let number): live.entry(inode: number).map { facts.names(of: $0) } ?? []
    default: []
    }
  }

  func attribute(_ name: String, of inode: NodeID) throws(Errno) -> String {
    guard name.hasPrefix(Self.attributePrefix) else { throw .notSupported }
    switch try node(inode) {
    case .root:
      guard let value = root?.value(name) else { throw .noData }
      return value
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

  // MARK: Inodes

  func node(_ node: NodeID) throws(Errno) -> FeedNode {
    guard let node = FeedNode(inode: space.number(of: node)) else { throw .staleNFSFileHandle }
    return node
  }

  private func entry(_ number: Int) throws(Errno) -> CatalogEntry {
    guard let entry = live.entry(number: number), !entry.isRemoved else {
      throw .staleNFSFileHandle
    }
    return entry
  }

  func sidecar(_ number: Int, _ index: Int) throws(Errno) -> SidecarFiles.Item {
    if number == 0, let item = sidecars.itemsOfFeed.first(where: { $0.index == index }) {
      return item
    }
    guard let item = sidecars.item(of: try entry(number), at: index) else {
      throw .staleNFSFileHandle
    }
    return item
  }
}
