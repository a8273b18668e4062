import Catalog
import FeedReading
import SystemPackage
import TestSupport

@testable import FeedMount
@testable import Fuse
@testable import World

/// The kernel's memory of a mount: names, attributes and sizes, as long as they are valid and no
/// notice has taken them.
///
/// One thread alone runs a simulation.
final class KernelView: KernelNotices, @unchecked Sendable {
  private struct Name: Hashable {
    let text: String
    let folder: UInt64
  }

  private struct Seen {
    let attributes: Attributes
    let until: Duration
  }

  /// Names and attributes that are valid for less may be wrong for that long.
  private static let trusted: Duration = .seconds(2)

  let passesThrough: Bool
  private let around: SimulatedWorld
  private let queue: any JobQueue
  private var random: SeededRandom
  private var names: [Name: Seen] = [:]
  private var nodes: [UInt64: Seen] = [:]
  /// The size of each file that was looked at.
  private(set) var sizes: [UInt64: Int] = [:]
  /// Files of which a page holds wrong bytes.
  private(set) var wrongPages: Set<UInt64> = []
  /// The number of notices about each folder's attributes.
  private(set) var folderNotices: [UInt64: Int] = [:]

  init(_ around: SimulatedWorld, passesThrough: Bool, seed: UInt64) {
    self.around = around
    self.passesThrough = passesThrough
    queue = around.jobs.queue("notices")
    random = SeededRandom(seed: seed)
  }

  // MARK: Questions

  /// Returns the node that a name means; asks the mount unless the kernel knows, and if `anew`.
  func node(
    of name: String, in folder: NodeID, _ tree: FeedFileSystem, anew: Bool = false
  ) throws(Errno) -> NodeID {
    let key = Name(text: name, folder: folder.number)
    if !anew, let seen = names[key], seen.until > around.time.now { return seen.attributes.inode }
    let attributes = try tree.lookup(name, in: folder)
    take(attributes)
    names[key] = seen(attributes)
    return attributes.inode
  }

  /// Lists a folder, as READDIRPLUS does; returns the names.
  func list(_ folder: NodeID, _ tree: FeedFileSystem) throws(Errno) -> [String] {
    var found: [String] = []
    var cookie = 0
    while true {
      let items = try tree.items(of: folder, after: cookie, limit: 3)
      guard let last = items.last else { return found }
      for item in items {
        take(item.attributes)
        names[Name(text: item.name, folder: folder.number)] = seen(item.attributes)
        found.append(item.name)
      }
      cookie = last.cookie
    }
  }

  /// Notes that a program has read wrong bytes of a file, which are now in the page cache.
  func readWrongBytes(of node: NodeID) {
    wrongPages.insert(node.number)
  }

  private func take(_ attributes: Attributes) {
    nodes[attributes.inode.number] = seen(attributes)
    sizes[attributes.inode.number] = attributes.size
  }

  private func seen(_ attributes: Attributes) -> Seen {
    Seen(attributes: attributes, until: around.time.now + attributes.validity)
  }

  // MARK: Notices

  func nameChanged(_ name: String, in directory: NodeID) {
    names[Name(text: name, folder: directory.number)] = nil
  }

  func attributesChanged(of inode: NodeID) {
    nodes[inode.number] = nil
    // A name is valid for as long as its attributes, which come with it.
    for (name, seen) in names where seen.attributes.inode == inode { names[name] = nil }
    folderNotices[inode.number, default: 0] += 1
  }

  func contentsChanged(of inode: NodeID) {
    wrongPages.remove(inode.number)
    attributesChanged(of: inode)
  }

  func sizeProved(
    _ size: Int, of inode: NodeID, isGreater: Bool, then: @escaping @Sendable (Bool) -> Void
  ) {
    queue.add { [self] in
      // The kernel may have dropped the inode for want of memory.
      let takes = isGreater && sizes[inode.number] != nil && !random.chance(10)
      attributesChanged(of: inode)
      sizes[inode.number] = takes ? max(size, sizes[inode.number] ?? 0) : nil
      then(takes)
    }
  }

  func sizeGrew(
    to size: Int, last: UInt8, of inode: NodeID, then: @escaping @Sendable (Bool) -> Void
  ) {
    sizeProved(size, of: inode, isGreater: true, then: then)
  }

  // MARK: Checks

  /// Returns what the kernel believes wrongly, though nothing but a notice can tell it; nil: nothing.
  ///
  /// - Parameter ignoresBytes: whether bytes of the cache may have gone without a notice.
  func mistake(about tree: FeedFileSystem, ignoresBytes: Bool) -> String? {
    let now = around.time.now
    for (name, seen) in names.sorted(by: { $0.key.text < $1.key.text })
    where seen.until > now && seen.attributes.validity >= Self.trusted {
      let folder = NodeID(number: name.folder)
      guard let truth = try? tree.lookup(name.text, in: folder) else {
        return "the kernel believes in \(name.text), which is gone"
      }
      if truth.inode != seen.attributes.inode {
        return "the kernel takes \(name.text) for the old inode \(seen.attributes.inode.number)"
      }
      if let difference = difference(seen.attributes, truth, ignoresBytes) {
        return "the kernel believes of \(name.text) \(difference)"
      }
    }
    for (node, seen) in nodes.sorted(by: { $0.key < $1.key })
    where seen.until > now && seen.attributes.validity >= Self.trusted {
      guard let truth = try? tree.attributes(of: NodeID(number: node)) else { continue }
      if let difference = difference(seen.attributes, truth, ignoresBytes) {
        return "the kernel believes of inode \(node) \(difference)"
      }
    }
    return nil
  }

  private func difference(
    _ seen: Attributes, _ truth: Attributes, _ ignoresBytes: Bool
  ) -> String? {
    if seen.size != truth.size { return "a size of \(seen.size), which is \(truth.size)" }
    if seen.storedBytes != truth.storedBytes, !ignoresBytes {
      return "\(seen.storedBytes) cached bytes, which are \(truth.storedBytes)"
    }
    return nil
  }
}
