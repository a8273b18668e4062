import Catalog
import Fuse
import Glibc
import Host
import SystemPackage

/// The tree of a mount whose feeds have a folder each. One feed can be at the root instead. The
/// folders of the other feeds are then beside its files. `.feedfs` has the mount's facts about
/// itself.
///
/// Feeds can come and go while it is mounted. Each request sees the feeds as they are at one
/// moment.
final class FeedSetFileSystem: ReadOnlyFileSystem {
  struct Folder: Sendable {
    let name: String
    /// The folder's place in listings, from 0. It stays the same when other folders come or go.
    let number: Int
    let tree: FeedFileSystem
  }

  /// The feeds that the mount has at one moment.
  struct Shape: Sendable {
    /// The feed at the root; nil if there is none.
    var root: FeedFileSystem?
    /// The other feeds, in ascending order of their numbers.
    var folders: [Folder] = []
    /// All feeds by the number of their inode range. Feeds that are no longer listed are among
    /// them, because programs that have their files open still ask by inode.
    var bySlot: [UInt64: FeedFileSystem] = [:]
    /// The time when a feed last came or went, in seconds since 1970; 0 if none did.
    var changedAt = 0

    var listed: [FeedFileSystem] { [root].compactMap(\.self) + folders.map(\.tree) }
  }

  /// The first directory cookie of folders. It is greater than the cookies of all entries at the
  /// root, and small enough for 32-bit programs.
  private static let firstFolderCookie = 1 << 30

  private let shape: @Sendable () -> Shape
  private let documents: GeneratedFiles
  private let root: RootAttributes
  private let started: Int

  /// - Parameters:
  ///   - documents: the files in `.feedfs`, without those of the feed at the root.
  ///   - started: seconds since 1970.
  ///   - shape: returns the feeds of this moment, with distinct names and inode ranges.
  init(
    documents: GeneratedFiles, root: RootAttributes, started: Int,
    _ shape: @escaping @Sendable () -> Shape
  ) {
    self.root = root
    self.shape = shape
    self.documents = documents
    self.started = started
  }

  func lookup(_ name: String, in directory: NodeID) throws(Errno) -> Attributes {
    let shape = shape()
    if let tree = try tree(of: directory, in: shape) {
      return try tree.lookup(name, in: directory)
    }
    if directory == .root {
      if name == FeedFileSystem.controlName { return self.directory(.control, in: shape) }
      // If an entry at the root has the same name, the folder hides it, because the folder was
      // there first.
      if let folder = shape.folders.first(where: { $0.name == name }) {
        return try folder.tree.attributes(of: folder.tree.space.root)
      }
    } else if let document = documents.document(named: name, in: .control) {
      return file(document)
    }
    guard let tree = shape.root else { throw .noSuchFileOrDirectory }
    return try tree.lookup(name, in: directory)
  }

  func attributes(of inode: NodeID) throws(Errno) -> Attributes {
    let shape = shape()
    if let tree = try tree(of: inode, in: shape) { return try tree.attributes(of: inode) }
    switch FeedNode(inode: inode.number) {
    case .root: return directory(.root, in: shape)
    case .control: return directory(.control, in: shape)
    default: return file(try document(inode))
    }
  }

  func parent(of node: NodeID) throws(Errno) -> NodeID {
    if let tree = try tree(of: node, in: shape()), node != tree.space.root {
      return try tree.parent(of: node)
    }
    return documents.document(inode: node.number) == nil
      ? .root : NodeID(number: ReservedInode.control)
  }

  func attributes(of inode: NodeID, reply: AttributesReply) {
    do throws(Errno) {
      if let tree = try tree(of: inode, in: shape()) {
        return tree.attributes(of: inode, reply: reply)
      }
      reply.attributes(try attributes(of: inode))
    } catch {
      reply.fail(error)
    }
  }

  func items(
    of directory: NodeID, after cookie: Int, limit: Int
  ) throws(Errno) -> [DirectoryItem] {
    let shape = shape()
    if let tree = try tree(of: directory, in: shape) {
      return try tree.items(of: directory, after: cookie, limit: limit)
    }
    if directory == .root { return try rootItems(of: shape, after: cookie, limit: limit) }
    guard directory.number == ReservedInode.control else { throw .notDirectory }
    let own = documents.documents.map {
      DirectoryItem(name: $0.name, attributes: file($0), cookie: Int($0.inode))
    }
    let others = try shape.root?.items(of: directory, after: cookie, limit: limit) ?? []
    return (own + others).filter { $0.cookie > cookie }.sorted { $0.cookie < $1.cookie }
  }

  func target(of link: NodeID) throws(Errno) -> String {
    guard let tree = try tree(of: link, in: shape()) else { throw .invalidArgument }
    return try tree.target(of: link)
  }

  func attributeNames(of inode: NodeID) throws(Errno) -> [String] {
    if let tree = try tree(of: inode, in: shape()) { return try tree.attributeNames(of: inode) }
    return inode == .root ? root.names : []
  }

  func attribute(_ name: String, of inode: NodeID) throws(Errno) -> String {
    guard name.hasPrefix(FeedFileSystem.attributePrefix) else { throw .notSupported }
    if let tree = try tree(of: inode, in: shape()) {
      return try tree.attribute(name, of: inode)
    }
    guard inode == .root, let value = root.value(name) else { throw .noData }
    return value
  }

  func statistics() -> Statistics {
    let all = shape().listed.map { $0.statistics() }
    return Statistics(
      files: all.reduce(0) { $0 + $1.files }, bytes: all.reduce(0) { $0 &+ $1.bytes })
  }

  func open(_ inode: NodeID, reply: OpenReply) {
    do throws(Errno) {
      if let tree = try tree(of: inode, in: shape()) { return tree.open(inode, reply: reply) }
      documents.open(try document(inode), reply)
    } catch {
      reply.fail(error)
    }
  }

  // MARK: Private

  /// Returns the tree of the feed that has `node`; nil if `node` is the mount's own.
  private func tree(of node: NodeID, in shape: Shape) throws(Errno) -> FeedFileSystem? {
    let slot = InodeSpace.slot(of: node)
    if slot == InodeSpace.whole.slot {
      switch FeedNode(inode: node.number) {
      case .root, .control: return nil
      case .document(let inode) where documents.document(inode: inode) != nil: return nil
      default: break
      }
    }
    guard let tree = shape.bySlot[slot] else { throw .staleNFSFileHandle }
    return tree
  }

  private func document(_ inode: NodeID) throws(Errno) -> GeneratedFiles.Document {
    guard let document = documents.document(inode: inode.number) else {
      throw .staleNFSFileHandle
    }
    return document
  }

  /// Returns the items of the feed at the root, and then the folders.
  private func rootItems(
    of shape: Shape, after cookie: Int, limit: Int
  ) throws(Errno) -> [DirectoryItem] {
    var items: [DirectoryItem] = []
    if let root = shape.root {
      let names = Set(shape.folders.map(\.name))
      var last = cookie
      while last < Self.firstFolderCookie, items.count < limit {
        let more = try root.items(of: .root, after: last, limit: limit)
        guard let end = more.last?.cookie else { break }
        items += more.filter { !names.contains($0.name) }
        last = end
      }
      guard items.count < limit else { return items }
    } else {
      items.append(
        DirectoryItem(
          name: FeedFileSystem.controlName, attributes: directory(.control, in: shape),
          cookie: Int(ReservedInode.control)))
    }
    for folder in shape.folders {
      items.append(
        DirectoryItem(
          name: folder.name, attributes: try folder.tree.attributes(of: folder.tree.space.root),
          cookie: Self.firstFolderCookie + folder.number))
    }
    return items.filter { $0.cookie > cookie }
  }

  private func directory(_ node: FeedNode, in shape: Shape) -> Attributes {
    let changedAt = node == .root ? max(shape.changedAt, shape.root?.live.changedAt ?? 0) : 0
    return Attributes(
      inode: NodeID(number: node.inode), kind: .directory, size: 4096, storedBytes: 0,
      modified: max(started, changedAt), validity: .seconds(1))
  }

  private func file(_ document: GeneratedFiles.Document) -> Attributes {
    let size = documents.size(of: document)
    return Attributes(
      inode: NodeID(number: document.inode), kind: .file, size: size, storedBytes: size,
      modified: started, validity: .zero)
  }
}
