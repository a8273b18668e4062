import SystemPackage
import TestSupport

@testable import Storage

/// A file of a `SimulatedDisk`, or (without a node) one of its folders.
///
/// One thread alone runs a simulation.
final class SimulatedFile: DiskFolder, @unchecked Sendable {
  /// The highest number: every open makes the descriptor pool close other files.
  let number = Int32.max
  private let disk: SimulatedDisk
  private let node: SimulatedNode?
  /// The start of the names of a folder on the disk.
  private let prefix: String

  init(_ disk: SimulatedDisk, _ node: SimulatedNode? = nil, in prefix: String = "") {
    self.disk = disk
    self.node = node
    self.prefix = prefix
  }

  func status() throws(Errno) -> File.Status {
    let number = node.map { UInt(bitPattern: ObjectIdentifier($0).hashValue) } ?? 0
    return File.Status(
      identity: File.Identity(device: 0, inode: number),
      size: node?.size ?? 0, storedBytes: node?.size ?? 0, owner: effectiveUser, links: 1,
      modified: node?.modified ?? 0, changed: node?.changed ?? 0, isRegular: node != nil,
      isWritableByOthers: false)
  }

  func lend(to body: (FileDescriptor) -> Void) throws(Errno) {
    throw .badFileDescriptor
  }

  func touch(_ date: File.Date) throws(Errno) {
    try disk.count()
    guard disk.isChanging() else { return }
    node?.changed = disk.tick()
    switch date {
    case .now: node?.modified = disk.tick()
    case .longAgo: node?.modified = disk.tick() - 1 << 30
    case .at(let time): node?.modified = time
    }
  }

  /// Writes zeros, as if on ext4 or XFS: names and sizes are journalled, and after a cut a punched
  /// range has its old content or zeros.
  func punch(_ ranges: [Range<Int>], willPunch: () -> Bool) throws(Errno) {
    if disk.random.chance(20) { throw .resourceTemporarilyUnavailable }
    guard willPunch() else { return }
    for range in ranges {
      try write([UInt8](repeating: 0, count: range.count), at: range.lowerBound)
    }
  }

  func read(_ count: Int, at offset: Int) throws(Errno) -> [UInt8] {
    try disk.check(.reads, .ioError)
    return node?.read(count, at: offset) ?? []
  }

  func read(_ count: Int, at offset: Int, into bytes: inout [UInt8]) throws(Errno) -> Int {
    let read = try read(count, at: offset)
    bytes.replaceSubrange(0..<read.count, with: read)
    return read.count
  }

  func write(_ bytes: RawSpan, at offset: Int) throws(Errno) {
    try disk.count()
    try disk.check(.writes, .ioError)
    try disk.check(.full, .noSpace)
    guard let node, disk.isChanging() else { return }
    bytes.withUnsafeBytes { node.write($0, at: offset) }
    node.modified = disk.tick()
    node.changed = node.modified
    let pages = node.dirtyPages
    if disk.random.chance(10), !pages.isEmpty {
      node.writeBack(only: pages[disk.random.below(pages.count)])
    }
  }

  func extend(to length: Int) throws(Errno) {
    guard let node, node.size < length else { return }
    try disk.count()
    try disk.check(.writes, .ioError)
    guard disk.isChanging() else { return }
    node.resize(to: length)
    node.changed = disk.tick()
  }

  func cut(to length: Int) throws(Errno) {
    try disk.count()
    guard let node, disk.isChanging() else { return }
    if node.size != length { node.resize(to: length) }
    node.changed = disk.tick()
  }

  func mapped(_ length: Int) throws(Errno) -> Mapping {
    guard let node else { throw .badFileDescriptor }
    return Mapping(node.mapped(length), length: length, of: node)
  }

  func syncData() throws(Errno) {
    guard disk.isChanging() else { return }
    do throws(Errno) {
      try disk.count()
      try disk.check(.flushes, .ioError)
    } catch {
      node?.forgetDirty()
      throw error
    }
    node?.writeBack()
    disk.journal()
  }

  func forgetPages() throws(Errno) {
    node?.forgetClean()
  }

  func sync() throws(Errno) {
    try syncData()
  }

  // MARK: The folder

  func open(_ name: String, for access: File.Access) throws(Errno) -> any DiskFile {
    let name = prefix + name
    if let node = disk.names[name] {
      guard access != .create else { throw .fileExists }
      return SimulatedFile(disk, node)
    }
    guard access == .create else { throw .noSuchFileOrDirectory }
    try disk.count()
    try disk.check(.writes, .ioError)
    let node = SimulatedNode()
    node.modified = disk.tick()
    disk.setNames { $0[name] = node }
    return SimulatedFile(disk, node)
  }

  /// Returns this folder for cache and feed alike: there is only one feed.
  func directory(_ name: String) throws(Errno) -> any DiskFolder {
    self
  }

  func makeDirectory(_ name: String) throws(Errno) {}

  func remove(_ name: String) throws(Errno) {
    let name = prefix + name
    guard disk.names[name] != nil else { return }
    try disk.count()
    try disk.check(.writes, .ioError)
    disk.setNames { $0[name] = nil }
  }

  func rename(_ old: String, to new: String) throws(Errno) {
    let (old, new) = (prefix + old, prefix + new)
    try disk.count()
    guard let node = disk.names[old] else { throw .noSuchFileOrDirectory }
    disk.setNames { names in
      names[old] = nil
      names[new] = node
    }
    node.changed = disk.tick()
  }

  func names() throws(Errno) -> [String] {
    let own = disk.names.keys.filter { $0.hasPrefix(prefix) }.map { $0.dropFirst(prefix.count) }
    return own.filter { !$0.contains("/") }.map(String.init).sorted()
  }

  func lock() throws(Errno) -> Bool { true }

  func unlock() {}

  func space() throws(Errno) -> FreeSpace.Look {
    FreeSpace.Look(free: 1 << 40, total: 1 << 40)
  }
}
