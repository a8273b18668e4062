import Catalog
import Fuse
import Glibc
import Host
import SystemPackage

/// The tree of several feeds in one mount. Each feed has a folder. `.feedfs` holds the mount's
/// facts about itself.
final class FeedSetFileSystem: ReadOnlyFileSystem {
  struct Folder: Sendable {
    let name: String
    let space: InodeSpace
    let tree: FeedFileSystem
  }

  private static let firstFolderCookie = 16

  private let folders: [Folder]
  private let bySlot: [UInt64: FeedFileSystem]
  private let documents: GeneratedFiles
  private let root: RootAttributes
  private let started: Int

  /// - Parameters:
  ///   - folders: with distinct names and distinct spaces, none of them `InodeSpace.whole`.
  ///   - documents: the files in `.feedfs`.
  ///   - started: seconds since 1970.
  init(_ folders: [Folder], documents: GeneratedFiles, root: RootAttributes, started: Int) {
    self.root = root
    self.folders = folders
    self.documents = documents
    self.started = started
    bySlot = Dictionary(uniqueKeysWithValues: folders.map { ($0.space.slot, $0.tree) })
  }

  func lookup(_ name: String, in directory: NodeID) throws(Errno) -> Attributes {
    if let tree = try tree(of: directory) { return try tree.lookup(name, in: directory) }
    switch FeedNode(inode: directory.number) {
    case .root where name == FeedFileSystem.controlName: return self.directory(.control)
    case .root:
      if let folder = folders.first(where: { $0.name == name }) {
        return try folder.tree.attributes(of: folder.space.root)
      }
    case .control:
      if let document = documents.document(named: name, in: .control) { return file(document) }
    default: throw .notDirectory
    }
    throw .noSuchFileOrDirectory
  }

  func attributes(of inode: NodeID) throws(Errno) -> Attributes {
    if let tree = try tree(of: inode) { return try tree.attributes(of: inode) }
    switch FeedNode(inode: inode.number) {
    case .root: return directory(.root)
    case .control: return directory(.control)
    default: return file(try document(inode))
    }
  }

  func attributes(of inode: NodeID, reply: AttributesReply) {
    do throws(Errno) {
      if let tree = try tree(of: inode) { return tree.attributes(of: inode, reply: reply) }
      reply.attributes(try attributes(of: inode))
    } catch {
      reply.fail(error)
    }
  }

  func items(
    of directory: NodeID, after cookie: Int, limit: Int
  ) throws(Errno) -> [DirectoryItem] {
    if let tree = try tree(of: directory) {
      return try tree.items(of: directory, after: cookie, limit: limit)
    }
    switch FeedNode(inode: directory.number) {
    case .root: return try rootItems().filter { $0.cookie > cookie }
    case .control:
      return documents.documents.map {
        DirectoryItem(name: $0.name, attributes: file($0), cookie: Int($0.inode))
      }.filter { $0.cookie > cookie }
    default: throw .notDirectory
    }
  }

  func target(of link: NodeID) throws(Errno) -> String {
    guard let tree = try tree(of: link) else { throw .invalidArgument }
    return try tree.target(of: link)
  }

  func attributeNames(of inode: NodeID) throws(Errno) -> [String] {
    if let tree = try tree(of: inode) { return try tree.attributeNames(of: inode) }
    return inode == .root ? root.names : []
  }

  func attribute(_ name: String, of inode: NodeID) throws(Errno) -> String {
    guard name.hasPrefix(FeedFileSystem.attributePrefix) else { throw .notSupported }
    if let tree = try tree(of: inode) { return try tree.attribute(name, of: inode) }
    guard inode == .root, let value = root.value(name) else { throw .noData }
    return value
  }

  func statistics() -> Statistics {
    let all = folders.map { $0.tree.statistics() }
    return Statistics(
      files: all.reduce(0) { $0 + $1.files }, bytes: all.reduce(0) { $0 &+ $1.bytes })
  }

  func open(_ inode: NodeID, reply: OpenReply) {
    do throws(Errno) {
      if let tree = try tree(of: inode) { return tree.open(inode, reply: reply) }
      documents.open(try document(inode), reply)
    } catch {
      reply.fail(error)
    }
  }

  // MARK: Private

  /// Returns the feed's tree that `node` is in; nil if it belongs to no feed.
  private func tree(of node: NodeID) throws(Errno) -> FeedFileSystem? {
    let slot = InodeSpace.slot(of: node)
    guard slot != InodeSpace.whole.slot else { return nil }
    guard let tree = bySlot[slot] else { throw .staleNFSFileHandle }
    return tree
  }

  private func document(_ inode: NodeID) throws(Errno) -> GeneratedFiles.Document {
    guard let document = documents.document(inode: inode.number) else {
      throw .staleNFSFileHandle
    }
    return document
  }

  private func rootItems() throws(Errno) -> [DirectoryItem] {
    var items = [
      DirectoryItem(
        name: FeedFileSystem.controlName, attributes: directory(.control), cookie: 1)
    ]
    for (index, folder) in folders.enumerated() {
      items.append(
        DirectoryItem(
          name: folder.name, attributes: try folder.tree.attributes(of: folder.space.root),
          cookie: Self.firstFolderCookie + index))
    }
    return items
  }

  private func directory(_ node: FeedNode) -> Attributes {
    Attributes(
      inode: NodeID(number: node.inode), kind: .directory, size: 4096, storedBytes: 0,
      modified: started, validity: .seconds(1))
  }

  private func file(_ document: GeneratedFiles.Document) -> Attributes {
    let size = documents.size(of: document)
    return Attributes(
      inode: NodeID(number: document.inode), kind: .file, size: size, storedBytes: size,
      modified: started, validity: .zero)
  }
}
