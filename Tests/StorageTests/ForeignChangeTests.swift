import Blocks
import Glibc
import Locks
import SystemPackage
import TestSupport
import Testing

@testable import Storage

/// Others change the files of the cache: cleaners that cut them, backups that restore them.
@Suite(.timeLimit(.minutes(1))) struct ForeignChangeTests {
  /// A change of the data file. Some blocks have wrong bytes behind it, or none.
  enum Change: CaseIterable {
    case emptied, cut, overwritten, grown, exchanged, restored, restoredInPlace

    /// The blocks that still have their bytes in the file under this name. The first three are in the
    /// older copy.
    var left: BlockSet {
      switch self {
      case .emptied, .exchanged: BlockSet()
      case .cut: BlockSet(0..<2)
      case .overwritten: BlockSet(0..<7).subtracting(BlockSet(2..<4))
      case .grown: BlockSet(0..<7)
      case .restored, .restoredInPlace: BlockSet(0..<3)
      }
    }

    /// True if the file that the daemon has open stays as it was, and only its name goes.
    var leavesOpenFile: Bool { self == .exchanged || self == .restored }
  }

  private let cache = CacheFixture()
  private let older = Pattern.bytes(0..<48) + [UInt8](repeating: 0, count: 52)

  // MARK: Below an open cache

  @Test(arguments: Change.allCases, [true, false])
  func noWrongByteIsReadBehindAChange(_ change: Change, ofOpenFile isOpen: Bool) throws {
    let directory = try cache.directory()
    var file: EntryFile? = try directory.file()
    try file?.write(0..<100)
    try file?.makeDurable { true }
    if !isOpen {
      try file?.close()
      file = nil
    }
    try suffer(change)

    let opened = try directory.file()
    #expect(try #require(opened.readableBlocks()) == left(change, isOpen))
    for block in opened.layout.all { try opened.write(opened.layout.bytes(of: block)) }
    #expect(opened.read(0..<100) == Pattern.bytes(0..<100))
    try opened.makeDurable { true }
    #expect(opened.isDurable && opened.read(0..<100) == Pattern.bytes(0..<100))
    #expect(opened.passed() == Pattern.bytes(0..<100))
    directory.close()
  }

  @Test(arguments: Change.allCases)
  func aChangedFileIsNotPassedThroughBeforeItWasCompared(_ change: Change) throws {
    let directory = try cache.directory()
    let file = try directory.file()
    try file.write(0..<100)
    try file.makeDurable { true }
    #expect(file.passed() == Pattern.bytes(0..<100))
    try suffer(change)
    #expect(file.passed() == nil && !file.isDurable && file.isWhole)

    try file.makeDurable { true }
    #expect(file.cachedBlocks == left(change, true))
    #expect(file.isDurable == (file.cachedBlocks.count == 7))
    directory.close()
  }

  /// A film that is being written: its flushed blocks, those in memory, and a block that has begun.
  @Test(arguments: Change.allCases)
  func noWrongByteIsKeptOfAFileThatIsBeingWritten(_ change: Change) throws {
    let directory = try cache.directory()
    let file = try directory.file()
    try file.write(0..<64)
    try file.flush()
    try file.write(64..<88)
    file.writeOutAll()
    let extent = try #require(file.state.withLock { $0.recent[BlockIndex(5)] })
    #expect(file.state.withLock { $0.giveUp(extent) })
    try suffer(change)

    try? file.write(88..<100)
    try? file.writeOut()
    try file.flush()
    _ = try #require(file.readableBlocks())
    try file.write(0..<100)
    directory.close()
    let again = try cache.directory()
    _ = try #require(try again.file().readableBlocks())
    again.close()
  }

  /// Their checksums agree with their bytes, but both are those of another film.
  @Test func theFilesOfAnotherFilmAreNotTakenForTheseIfBothAreOverwritten() throws {
    let directory = try cache.directory()
    let file = try directory.file()
    try file.write(0..<100)
    try file.makeDurable { true }
    let other = try directory.file(key: EntryKey(entry: "another"))
    try other.write(0..<100, seed: 5)
    try other.makeDurable { true }
    for ending in [".data", ".idx"] {
      let name = CacheFixture.key.fileName(CacheFixture.representation, feedKey: "feed") + ending
      let source = TemporaryDirectory.names(in: cache.folder).first {
        $0.hasSuffix(ending) && $0 != name
      }
      let bytes = try TemporaryDirectory.read(cache.folder.appending(try #require(source)))
      try changed(cache.folder.appending(name)) { try TemporaryDirectory.write(bytes, to: $0) }
    }
    #expect(file.readableBlocks() == BlockSet())
    try file.write(0..<48)
    try file.flush()
    #expect(file.readableBlocks() == BlockSet(0..<3))
    #expect(other.read(0..<100) == Pattern.bytes(0..<100, seed: 5))
    directory.close()
    // The index is that of this film again.
    #expect(try cache.directory().file().readableBlocks() == BlockSet(0..<3))
  }

  @Test(arguments: [0, 50, 4_100, 4_110]) func anIndexThatIsCutCostsNoOpenFileAByte(length: Int)
    throws
  {
    let directory = try cache.directory()
    let file = try directory.file()
    try file.write(0..<100)
    try file.makeDurable { true }
    let index = try cache.path(endingWith: ".idx")
    try changed(index) {
      try TemporaryDirectory.write(Array(TemporaryDirectory.read($0).prefix(length)), to: $0)
    }
    #expect(file.readableBlocks() == BlockSet(0..<7))
    try suffer(.overwritten)
    _ = try #require(file.readableBlocks())
    try file.write(0..<100)
    #expect(file.read(0..<100) == Pattern.bytes(0..<100))
    directory.close()
    _ = try #require(try cache.directory().file().readableBlocks())
  }

  /// A touched file costs a comparison, and no byte.
  @Test func aTouchCostsNoByte() throws {
    let directory = try cache.directory()
    let file = try directory.file()
    try file.write(0..<100)
    try file.makeDurable { true }
    try changed(cache.path(endingWith: ".data")) { chmod($0.string, 0o600) }
    #expect(!file.isAtHand(0..<100))
    #expect(file.read(0..<100) == Pattern.bytes(0..<100))
    #expect(file.isAtHand(0..<100) && file.isDurable)
    directory.close()
  }

  @Test func theDaemonsOwnChangesAreNotThoseOfOthers() throws {
    let directory = try cache.directory()
    let file = try directory.file()
    for block in file.layout.all {
      try file.write(file.layout.bytes(of: block))
      try file.writeOut()
      #expect(file.read(0..<1) == Pattern.bytes(0..<1))
    }
    try file.flush()
    try file.close()
    #expect(file.read(0..<100) == Pattern.bytes(0..<100) && file.isDurable)
    file.drop(BlockIndex(2)..<BlockIndex(3))
    try file.write(32..<48)
    try file.close()
    #expect(file.read(0..<100) == Pattern.bytes(0..<100))
    #expect(file.state.withLock { $0.own.doubts } == 0)
    directory.close()
  }

  // MARK: While no daemon runs

  @Test(arguments: Change.allCases)
  func aChangeWhileNoDaemonRunsIsFoundByTheNext(_ change: Change) throws {
    try cache.keep([0..<100], closing: true)
    try suffer(change)
    let directory = try cache.directory()
    let isTrusted = directory.holding(CacheFixture.key, CacheFixture.representation).isDurable
    let file = try directory.file()
    #expect(!isTrusted && !file.isDurable)
    #expect(try #require(file.readableBlocks()) == change.left)
    directory.close()
  }

  @Test func aMarkWithoutARecordOfTheDataFileIsNotBelieved() throws {
    try cache.keep([0..<100], closing: true)
    let index = try cache.path(endingWith: ".idx")
    var bytes = try TemporaryDirectory.read(index)
    bytes.replaceSubrange(28..<64, with: Array("6e0aa2fd-0000-4000-8000-1234567890ab".utf8))
    bytes.replaceSubrange(16..<20, with: [0, 0, 0, 0])
    bytes.replaceSubrange(16..<20, with: CRC32C(of: Array(bytes[..<4096]).span.bytes).value.encoded)
    try TemporaryDirectory.write(bytes, to: index)
    let directory = try cache.directory()
    let file = try directory.file()
    #expect(!file.isDurable)
    #expect(file.bytes(0..<100) == Pattern.bytes(0..<100))
    directory.close()
    // All blocks were compared, so it gets a mark.
    let header = IndexHeader(Array(try TemporaryDirectory.read(index)[..<4096]))
    #expect(header?.cleanMark?.data.size == 100)
  }

  // MARK: Values

  private static let noted = FileGlance(inode: 7, size: 100, changed: 1_000)

  @Test(arguments: [
    (FileGlance(inode: 7, size: 100, changed: 1_000), true, true),
    (FileGlance(inode: 7, size: 100, changed: 1_001), false, true),
    (FileGlance(inode: 7, size: 100, changed: 999), false, true),
    (FileGlance(inode: 7, size: 101, changed: 1_000), false, true),
    (FileGlance(inode: 7, size: 99, changed: 1_000), false, false),
    (FileGlance(inode: 8, size: 100, changed: 1_000), false, false),
  ])
  func aGlanceThatDiffersIsAChangeOfOthers(
    seen: FileGlance, isExplained: Bool, isExplainedDuringAWrite: Bool
  ) {
    var own = OwnChanges(noted: Self.noted)
    #expect(own.explain(seen) == isExplained)
    own.begin()
    #expect(own.explain(seen) == isExplainedDuringAWrite)
    // Behind the write, a file that was cut or exchanged meanwhile shows too.
    #expect(own.isCut(seen) == !isExplainedDuringAWrite)
    own.end(seen)
    #expect(own.explain(seen) && own.doubts == 0)
    own.doubt(Self.noted)
    #expect(own.explain(Self.noted) && own.doubts == 1)
    own.end(nil)
    #expect(!own.explain(Self.noted))
  }

  /// Others may change a file while a block of it is compared.
  @Test func aComparisonBeforeADoubtVerifiesNothing() {
    let layout = BlockLayout(length: 48, blockSize: 16)
    var state = EntryState(layout: layout, cachedBlocks: BlockSet(0..<3))
    state.doubt(Self.noted)
    #expect(state.unverified == BlockSet(0..<3))
    state.verified(BlockIndex(0), 1, asOf: 0)
    #expect(state.unverified == BlockSet(0..<3))
    state.verified(BlockIndex(0), 1, asOf: 1)
    #expect(state.unverified == BlockSet(1..<3))
  }

  // MARK: Private

  private func left(_ change: Change, _ isOpen: Bool) -> BlockSet {
    isOpen && change.leavesOpenFile ? BlockSet(0..<7) : change.left
  }

  private func suffer(_ change: Change) throws {
    let data = try cache.path(endingWith: ".data")
    let bytes = try TemporaryDirectory.read(data)
    let before = TemporaryDirectory.status(data)
    try changed(data) { path in
      switch change {
      case .emptied: truncate(path.string, 0)
      case .cut: truncate(path.string, 40)
      case .overwritten: try Self.overwrite(path, Array(bytes[40..<60]).map { ~$0 }, at: 40)
      case .grown: truncate(path.string, 150)
      case .exchanged: try Self.exchange(path, Pattern.bytes(0..<100, seed: 9))
      case .restored: try Self.exchange(path, older)
      case .restoredInPlace: try TemporaryDirectory.write(older, to: path)
      }
      let times = [before.st_atim, before.st_mtim]
      utimensat(AT_FDCWD, path.string, times, 0)
    }
  }

  /// Changes the file at `path` until its change time differs: older kernels count it in steps.
  private func changed(_ path: FilePath, _ change: (FilePath) throws -> Void) throws {
    let before = TemporaryDirectory.status(path)
    while true {
      try change(path)
      let now = TemporaryDirectory.status(path)
      if now.st_ino != before.st_ino || now.st_ctim.tv_nsec != before.st_ctim.tv_nsec
        || now.st_ctim.tv_sec != before.st_ctim.tv_sec
      {
        return
      }
    }
  }

  private static func overwrite(_ path: FilePath, _ bytes: [UInt8], at offset: Int) throws {
    let file = try FileDescriptor.open(path, .writeOnly)
    defer { try? file.close() }
    _ = try file.writeAll(toAbsoluteOffset: Int64(offset), bytes)
  }

  private static func exchange(_ path: FilePath, _ bytes: [UInt8]) throws {
    let other = FilePath(path.string + ".other")
    try TemporaryDirectory.write(bytes, to: other)
    rename(other.string, path.string)
  }
}

extension EntryFile {
  /// Returns the bytes of `range` as the daemon reads them; nil if some are missing.
  fileprivate func read(_ range: ByteRange) -> [UInt8]? {
    if isAtHand(range) { return bytes(range) }
    var bytes: [UInt8]?
    let loan = lendFromDisk(range) { span in bytes = span.withUnsafeBytes { Array($0) } }
    return loan == .lent ? bytes : nil
  }

  /// Returns the blocks that can be read, one by one; nil if one has a wrong byte.
  fileprivate func readableBlocks() -> BlockSet? {
    var blocks = BlockSet()
    for block in layout.all {
      let range = layout.bytes(of: block)
      guard let bytes = read(range) else { continue }
      guard bytes == Pattern.bytes(range) else { return nil }
      blocks.insert(block)
    }
    return blocks
  }

  /// Returns all bytes of the descriptor that is lent for passthrough; nil if none is lent.
  fileprivate func passed() -> [UInt8]? {
    var bytes: [UInt8]?
    let isLent = lendDescriptor { descriptor in
      bytes = try? [UInt8](unsafeUninitializedCapacity: 200) { buffer, count in
        count = try descriptor.read(
          fromAbsoluteOffset: 0, into: UnsafeMutableRawBufferPointer(buffer))
      }
    }
    return isLent ? bytes : nil
  }
}
