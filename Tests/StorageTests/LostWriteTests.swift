import Blocks
import Dispatch
import Locks
import SystemPackage
import TestSupport
import Testing

@testable import Storage

/// A disk that loses bytes tells it once, at the next flush. All bytes that it had by then count as
/// lost, also those of a write that is under way.
@Suite(.timeLimit(.minutes(1))) struct LostWriteTests {
  private let cache = CacheFixture()

  private var header: IndexHeader {
    IndexHeader(
      key: CacheFixture.key, representation: CacheFixture.representation,
      layout: BlockLayout(length: CacheFixture.length, blockSize: CacheFixture.blockSize),
      contentType: nil)
  }

  private func entry(
    _ files: EntryFiles, _ header: IndexHeader, _ state: EntryState
  ) throws -> EntryFile {
    let never: Disk.Timer = { _, _ in }
    return try EntryFile(
      files, at: cache.root.appending("a.data"), header: header, state: state,
      flusher: Flusher(delay: .seconds(1), timer: never), writer: Writer(timer: never),
      recentMemory: RecentMemory(total: 4 * 64), memory: MappedMemory { 0 },
      buffers: CopyBuffers(), epoch: 1)
  }

  /// - Parameter data: wraps the data file.
  private func file(_ data: (any DiskFile) -> any DiskFile) throws -> EntryFile {
    let folder = try Folder(at: cache.root, create: true)
    let fresh = try EntryFiles.fresh("a", in: folder, header: header)
    let files = EntryFiles(data: data(fresh.data), index: fresh.index, areWritable: true)
    return try entry(files, header, EntryState(layout: header.layout))
  }

  @Test func aWriteThatIsUnderWayWhenTheDiskFailsIsLostToo() throws {
    let disk = HookedFile.Hooks()
    let file = try file { HookedFile($0, disk) }
    try file.write(0..<16)
    try file.writeOut()
    let (isWriting, hasFlushed, hasWritten) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    disk.afterWrite.withLock {
      $0 = {
        isWriting.signal()
        // The flush fails while this write goes on. It ends only behind it.
        #expect(hasFlushed.wait(timeout: .now() + .milliseconds(200)) == .timedOut)
      }
    }
    disk.sync.withLock {
      $0 = { () throws(Errno) in
        DispatchQueue.global().async {
          try? file.write(16..<32)
          try? file.writeOut()
          hasWritten.signal()
        }
        isWriting.wait()
        throw .ioError
      }
    }
    #expect(throws: StorageError.self) { try file.flush() }
    hasFlushed.signal()
    hasWritten.wait()
    #expect(file.cachedBlocks.isEmpty && file.isFlushed)
  }

  /// The beginning of a block went to the disk alone, and its memory was given up.
  @Test func aBlockWhoseBeginningTheDiskLostIsNotKeptForItsEnd() throws {
    let disk = HookedFile.Hooks()
    let file = try file { HookedFile($0, disk) }
    try file.write(0..<24)
    file.writeOutAll()
    let extent = try #require(file.state.withLock { $0.recent[BlockIndex(1)] })
    #expect(file.state.withLock { $0.giveUp(extent) })
    disk.sync.withLock {
      $0 = { () throws(Errno) in
        #expect(throws: Never.self) { try file.write(24..<32) }
        throw .ioError
      }
    }
    #expect(throws: StorageError.self) { try file.flush() }
    #expect(file.cachedBlocks.isEmpty && file.isFlushed)
  }

  // MARK: What an earlier process left

  /// Opens the files that a killed process left, as another process does.
  private func opened(_ hooks: HookedFile.Hooks) throws -> EntryFile {
    let folder = try Folder(at: cache.root, create: false)
    let found = try #require(try EntryFiles.existing("a", in: folder))
    let files = EntryFiles(
      data: HookedFile(found.data, hooks), index: found.index, areWritable: true)
    let (header, state) = try #require(try files.load(matching: header, epoch: 1))
    return try entry(files, header, state)
  }

  /// It was killed while a flush failed. Nobody has heard of the failure, and the kernel's memory
  /// still has all bytes.
  @Test func whatTheKernelAloneHasIsNoLongerThereForTheNextProcess() throws {
    let first = try file { $0 }
    try first.write(0..<48)
    try first.writeOut()
    let disk = HookedFile.Hooks()
    let forgotten = Locked(0)
    disk.forget.withLock {
      $0 = { file in
        forgotten.withLock { $0 += 1 }
        try? file.write([UInt8](repeating: 0, count: 16), at: 16)
      }
    }
    let second = try opened(disk)
    // A flush that succeeds tells nothing about the bytes of the earlier process.
    try second.flush()
    #expect(second.cachedBlocks == BlockSet(0..<3) && forgotten.withLock { $0 } == 0)
    #expect(second.bytes(16..<32) == nil)
    #expect(second.bytes(0..<16) == Pattern.bytes(0..<16))
    #expect(second.bytes(32..<48) == Pattern.bytes(32..<48))
    #expect(forgotten.withLock { $0 } == 1)
    try second.write(16..<32)
    #expect(second.bytes(0..<48) == Pattern.bytes(0..<48))
    #expect(forgotten.withLock { $0 } == 1)
  }

  @Test func aDiskThatFailsThenCostsWhatTheEarlierProcessLeft() throws {
    let first = try file { $0 }
    try first.write(0..<48)
    try first.writeOut()
    let disk = HookedFile.Hooks()
    disk.sync.withLock { $0 = { () throws(Errno) in throw .ioError } }
    let second = try opened(disk)
    #expect(second.bytes(0..<16) == nil && second.cachedBlocks.isEmpty)
    #expect(second.isFlushed)
  }
}

/// A data file with work behind its writes and in place of its flushes.
private final class HookedFile: DiskFile {
  final class Hooks: Sendable {
    let afterWrite = Locked<(@Sendable () -> Void)?>(nil)
    /// Gets the file itself.
    let forget = Locked<(@Sendable (any DiskFile) -> Void)?>(nil)
    let sync = Locked<(@Sendable () throws(Errno) -> Void)?>(nil)
  }

  private let file: any DiskFile
  private let hooks: Hooks

  init(_ file: any DiskFile, _ hooks: Hooks) {
    self.file = file
    self.hooks = hooks
  }

  var number: Int32 { file.number }

  func lend(to body: (FileDescriptor) -> Void) throws(Errno) { try file.lend(to: body) }

  func status() throws(Errno) -> File.Status { try file.status() }

  func touch(_ date: File.Date) throws(Errno) { try file.touch(date) }

  func read(_ count: Int, at offset: Int) throws(Errno) -> [UInt8] {
    try file.read(count, at: offset)
  }

  func read(_ count: Int, at offset: Int, into bytes: inout [UInt8]) throws(Errno) -> Int {
    try file.read(count, at: offset, into: &bytes)
  }

  func write(_ bytes: RawSpan, at offset: Int) throws(Errno) {
    try file.write(bytes, at: offset)
    hooks.afterWrite.withLock { $0 }?()
  }

  func extend(to length: Int) throws(Errno) { try file.extend(to: length) }

  func cut(to length: Int) throws(Errno) { try file.cut(to: length) }

  func punch(_ ranges: [Range<Int>], willPunch: () -> Bool) throws(Errno) {
    try file.punch(ranges, willPunch: willPunch)
  }

  func mapped(_ length: Int) throws(Errno) -> Mapping { try file.mapped(length) }

  func syncData() throws(Errno) {
    guard let sync = hooks.sync.withLock({ $0 }) else { return try file.syncData() }
    try sync()
  }

  func forgetPages() throws(Errno) { hooks.forget.withLock { $0 }?(file) }

  func sync() throws(Errno) { try syncData() }
}
