import Blocks
import Fuse
import Synchronization
import SystemPackage
import TestSupport

/// The kernel's part of a direct drive: it walks paths, remembers names until a notice or ESTALE
/// makes it forget them, and asks for everything else each time.
final class DirectKernel: KernelNotices {
  private struct Name {
    let node: NodeID
    let isLink: Bool
  }

  /// One read of the kernel asks for so many bytes at most.
  static let maxBytes = FuseSession.maxRead

  let fileSystem: any ReadOnlyFileSystem
  private let names = Mutex<[NodeID: [String: Name]]>([:])

  init(_ fileSystem: any ReadOnlyFileSystem) {
    self.fileSystem = fileSystem
  }

  // MARK: Notices

  let passesThrough = false

  func attributesChanged(of inode: NodeID) {}

  func sizeProved(
    _ size: Int, of inode: NodeID, isGreater: Bool, then: @escaping @Sendable (Bool) -> Void
  ) {
    then(true)
  }

  func sizeGrew(
    to size: Int, last: UInt8, of inode: NodeID, then: @escaping @Sendable (Bool) -> Void
  ) {
    then(true)
  }

  func contentsChanged(of inode: NodeID) {}

  func nameChanged(_ name: String, in directory: NodeID) {
    names.withLock { $0[directory]?[name] = nil }
  }

  // MARK: Paths

  /// Calls `body` with the node at `path`. If that is ESTALE, the names of the path are looked up
  /// again, once, as the kernel does it.
  func with<Value>(
    _ path: String, followsLink: Bool = true, _ body: (NodeID) throws -> Value
  ) throws -> Value {
    let parts = path.split(separator: "/").map(String.init)
    do {
      return try body(try node(at: parts, followsLink: followsLink))
    } catch let error as ReadFailure where error.errno == Errno.staleNFSFileHandle.rawValue {
      names.withLock { $0 = [:] }
      return try body(try node(at: parts, followsLink: followsLink))
    }
  }

  private func node(at parts: [String], followsLink: Bool) throws -> NodeID {
    var place = [NodeID.root]
    for (index, part) in parts.enumerated() {
      guard part != ".." else {
        place.removeLast()
        continue
      }
      let name = try name(part, in: place.last ?? .root)
      guard name.isLink, followsLink || index + 1 < parts.count else {
        place.append(name.node)
        continue
      }
      let target = try failing { () throws(Errno) in try fileSystem.target(of: name.node) }
      let folder = Array(parts[..<index]) + target.split(separator: "/").map(String.init)
      return try node(at: folder + parts[(index + 1)...], followsLink: followsLink)
    }
    return place.last ?? .root
  }

  private func name(_ name: String, in folder: NodeID) throws -> Name {
    if let known = names.withLock({ $0[folder]?[name] }) { return known }
    let attributes = try failing { () throws(Errno) in
      try fileSystem.lookup(name, in: folder)
    }
    let found = Name(node: attributes.inode, isLink: attributes.kind == .link)
    names.withLock { $0[folder, default: [:]][name] = found }
    return found
  }

  // MARK: Requests

  /// Asks for the attributes of `node`, as GETATTR does.
  func facts(of node: NodeID) throws -> FileFacts {
    let awaited = Awaited<Attributes>()
    fileSystem.attributes(
      of: node, reply: AttributesReply(DirectRequest(by: "reader") { awaited.answered($0) }))
    let attributes = try awaited.get("stat")
    return FileFacts(
      inode: attributes.inode.number, size: attributes.size,
      isFolder: attributes.kind == .directory)
  }

  func open(_ node: NodeID) throws -> any OpenFile {
    let awaited = Awaited<any OpenFile>()
    fileSystem.open(node, reply: OpenReply(DirectRequest(by: "reader") { awaited.answered($0) }))
    return try awaited.get("open")
  }
}

/// Calls `body`, and throws its error as readers get it.
func failing<Value>(_ body: () throws(Errno) -> Value) throws(ReadFailure) -> Value {
  do {
    return try body()
  } catch {
    throw ReadFailure(errno: error.rawValue)
  }
}

extension Awaited {
  /// Takes the answer to a `DirectRequest`.
  func answered(_ answer: Result<Value, Errno>) {
    give(answer.mapError { ReadFailure(errno: $0.rawValue) as any Error })
  }
}
