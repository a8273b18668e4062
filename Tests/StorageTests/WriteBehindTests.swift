import Blocks
import Dispatch
import Glibc
import Locks
import SystemPackage
import TestSupport
import Testing

@testable import Storage

/// Bytes on their way from memory to the disk. The tests let the writer come. Blocks of 16 bytes,
/// two in one extent.
@Suite(.timeLimit(.minutes(1))) struct WriteBehindTests {
  private let cache = CacheFixture()
  private let time = ManualTime()
  private let memory = RecentMemory(total: 4 * 64)

  private func directory(limit: CacheLimit? = nil) throws -> CacheDirectory {
    let timer: Disk.Timer = { [time] delay, body in time.call(after: delay, body) }
    return try CacheDirectory(
      in: Folder(at: cache.root, create: true), feedKey: "feed", minFree: .bytes(0), limit: limit,
      blockSize: CacheFixture.blockSize, flusher: Flusher(delay: .seconds(1), timer: timer),
      writer: Writer(timer: timer), recentMemory: memory)
  }

  /// Returns the blocks that another process would find now, after a kill of this one.
  private func leftAfterAKill() throws -> BlockSet? {
    let copy = CacheFixture()
    try copy.directory().close()
    for suffix in [".data", ".idx"] {
      let path = try cache.path(endingWith: suffix)
      try TemporaryDirectory.write(
        TemporaryDirectory.read(path), to: copy.folder.appending(path.lastComponent?.string ?? ""))
    }
    return try copy.directory().file().lendableBlocks()
  }

  @Test func aCompleteBlockIsReadAtOnceAndWrittenAMomentLater() throws {
    #expect(Writer.delay == Figure.onItsWay.time)
    let file = try directory().file()
    try file.write(0..<40)
    #expect(file.cachedBlocks == BlockSet(0..<2) && file.bytes(0..<40) == Pattern.bytes(0..<40))
    #expect(try leftAfterAKill() == BlockSet())
    time.advance(by: Writer.delay)
    #expect(try leftAfterAKill() == BlockSet(0..<2))
    #expect(file.bytes(0..<40) == Pattern.bytes(0..<40))
  }

  /// A killed daemon must not lose complete blocks that a reader has had.
  @Test func aReaderWaitsForTheWriteOfCompleteBlocksAndItComesAtOnce() throws {
    let file = try directory().file()
    try file.write(0..<40)
    #expect(!file.isAtHand(0..<20) && !file.isAtHand(10..<40) && file.isAtHand(32..<40))
    let left = Locked<BlockSet?>(nil)
    #expect(file.whenWritten(10..<40) { left.withLock { $0 = file.cachedBlocks } })
    #expect(left.withLock { $0 } == nil)
    time.advance(by: .zero)
    #expect(left.withLock { $0 } == BlockSet(0..<2))
    #expect(try leftAfterAKill() == BlockSet(0..<2))
    #expect(file.isAtHand(0..<40) && !file.whenWritten(10..<40) {})
  }

  @Test func whatWasDroppedOnItsWayIsNotWrittenAndCanComeAgain() throws {
    let file = try directory().file()
    try file.write(0..<64, seed: 9)
    file.drop(BlockIndex(1)..<BlockIndex(3))
    time.advance(by: Writer.delay)
    #expect(file.cachedBlocks == BlockSet(0..<1).union(3..<4))
    try file.write(16..<48)
    #expect(file.bytes(16..<48) == Pattern.bytes(16..<48))
    time.advance(by: Writer.delay)
    file.drop(BlockIndex(0)..<BlockIndex(1))
    file.drop(BlockIndex(3)..<BlockIndex(4))
    #expect(try leftAfterAKill() == BlockSet(1..<3))
  }

  @Test func whatAReaderIsLentStaysWhenTheBlockBeginsAnew() throws {
    let file = try directory().file()
    try file.write(0..<24, seed: 9)
    let loan = file.lend(16..<24) { bytes in
      #expect(throws: Never.self) { try file.write(16..<32) }
      #expect(bytes.withUnsafeBytes { Array($0) } == Pattern.bytes(16..<24, seed: 9))
      return true
    }
    #expect(loan == .lent && file.bytes(16..<32) == Pattern.bytes(16..<32))
    #expect(file.bytes(0..<16) == Pattern.bytes(0..<16, seed: 9))
  }

  @Test(arguments: ["flush", "close", "directory", "check", "durable"])
  func everyDoorWritesWhatIsOnlyInMemory(door: String) throws {
    let directory = try directory()
    let file = try directory.file()
    try file.write(0..<100)
    #expect(try leftAfterAKill() == BlockSet())
    switch door {
    case "flush": try file.flush()
    case "close": try file.close()
    case "directory": directory.close()
    case "check": #expect(file.check(from: BlockIndex(0), bytes: .max).bytes == 100)
    default: try file.makeDurable { true }
    }
    #expect(try leftAfterAKill() == BlockSet(0..<7))
    #expect(file.isDurable == (door != "check"))
  }

  @Test func aFlushOfWhatIsWrittenLeavesTheRestUnflushed() throws {
    let file = try directory().file()
    try file.write(0..<32)
    try file.writeOut()
    try file.write(32..<48)
    var state = file.state.withLock { $0 }
    #expect(state.beginFlush() == true)
    state.endFlush()
    #expect(!state.isFlushed && state.unflushed.blocks == BlockSet(2..<3))
    // A flush that fails loses only what it should have brought to the disk.
    #expect(file.state.withLock { $0.beginFlush() } == true)
    _ = file.state.withLock { $0.failFlush() }
    #expect(file.cachedBlocks == BlockSet(2..<3) && file.bytes(32..<48) == Pattern.bytes(32..<48))
  }

  @Test(arguments: [false, true])
  func afterAFailedFlushABeginningIsWrittenAgain(isCompleteByThen: Bool) throws {
    let file = try directory().file()
    try file.write(0..<24)
    file.writeOutAll()
    if isCompleteByThen { try file.write(24..<32) }
    _ = file.state.withLock { $0.failFlush() }
    let next = file.state.withLock { $0.nextWrite(of: BlockIndex(1), withBegun: true) }
    #expect(next?.bytes == 16..<(isCompleteByThen ? 32 : 24))
  }

  @Test func aDateGivenAtCloseOutlivesTheWriter() throws {
    let directory = try directory()
    let file = try directory.file()
    try file.write(0..<48)
    file.wasPlayedToItsEnd()
    try file.close()
    time.advance(by: .seconds(5))
    let date = TemporaryDirectory.status(try cache.path(endingWith: ".data")).st_mtim.tv_sec
    #expect(date < 1_200_000_000)
    directory.close()
  }

  @Test func afterItsEndTheDirectoryWritesNothing() throws {
    let directory = try directory()
    let file = try directory.file()
    try file.write(0..<16)
    directory.close()
    let before = try TemporaryDirectory.read(cache.path(endingWith: ".data"))
    time.advance(by: .seconds(5))
    #expect(try TemporaryDirectory.read(cache.path(endingWith: ".data")) == before)
    #expect(time.armed == 0)
  }

  // MARK: Memory

  @Test func allFilesShareTheMemoryAndLoseNothing() throws {
    let directory = try directory()
    let length = 16 * 40
    let files = try (0..<12).map {
      try directory.file(
        Representation(length: length, validator: .none), key: EntryKey(entry: "\($0)"))
    }
    // Each file begins a block before another one is complete: twelve extents for room of eight.
    for start in stride(from: 0, to: length, by: 8) {
      for file in files { try file.write(start..<start + 8) }
      #expect(memory.used <= 4 * 64)
    }
    for file in files { #expect(file.lendableBlocks() == BlockSet(0..<40)) }
    for file in files { try file.flush() }
    for file in files { #expect(file.lendableBlocks() == BlockSet(0..<40)) }
    // Flushed bytes are read from the disk, and take no memory.
    #expect(memory.used == 0)
    directory.close()
  }

  @Test func aBlockWhoseBeginningWentToTheDiskIsContinuedAndWhole() throws {
    let length = 16 * 80
    let file = try directory().file(Representation(length: length, validator: .entityTag("\"1\"")))
    for block in stride(from: 0, to: 80, by: 4) { try file.write(block * 16..<block * 16 + 5) }
    #expect(file.bytes(0..<5) == Pattern.bytes(0..<5) && file.cachedBlocks.isEmpty)
    try file.write(5..<16)
    #expect(file.cachedBlocks == BlockSet(0..<1) && file.bytes(0..<16) == Pattern.bytes(0..<16))
    try file.flush()
    #expect(file.bytes(0..<16) == Pattern.bytes(0..<16))
    let last = length - 64
    #expect(file.bytes(last..<last + 5) == Pattern.bytes(last..<last + 5))
    #expect(file.takeBack(BlockIndex(4)) == Pattern.bytes(64..<69))
  }

  @Test func theLimitCountsWhatIsOnItsWay() throws {
    let limit = CacheLimit(at: cache.root, bytes: 1 << 30)
    let directory = try directory(limit: limit)
    limit.join(directory, listed: { [] }, evicted: { _ in })
    let file = try directory.file()
    #expect(directory.room(for: 100) == .enough)
    limit.recount()
    let before = try #require(limit.usage.used)
    try file.write(0..<88)  // ends in a block that has begun
    limit.recount()
    #expect(limit.usage.used == before + 88)
    directory.close()
  }

  /// A reader who has sought reads across the end of an extent.
  @Test func bytesOfTwoExtentsAreReadFromMemoryToo() throws {
    let file = try directory().file()
    try file.write(0..<64)
    time.advance(by: Writer.delay)
    let path = try cache.path(endingWith: ".data")
    try TemporaryDirectory.write([UInt8](repeating: 0, count: 100), to: path)
    #expect(file.isAtHand(24..<40) && file.bytes(24..<40) == Pattern.bytes(24..<40))
    #expect(file.bytes(10..<60) == Pattern.bytes(10..<60))
  }

  /// Another process may own the files of a closed directory, while this one goes on with others.
  @Test func aClosedDirectoryTakesAndWritesNothingMore() throws {
    let directory = try directory()
    let file = try directory.file()
    try file.write(0..<24)
    let step = file.state.withLock { $0.step(24, in: BlockIndex(1)) }
    guard case .next(let before, let extent) = step else {
      Issue.record("the block does not go on")
      return
    }
    file.retire()
    let isCopied = file.state.withLock { state in
      let after = EntryState.Partial(count: 16)
      return state.copied(after, following: before, at: 24, in: BlockIndex(1), to: extent)
    }
    #expect(!isCopied)
    directory.close()
    let data = try cache.path(endingWith: ".data")
    try TemporaryDirectory.write([], to: data)
    file.writeOutAll()
    #expect(try TemporaryDirectory.read(data).isEmpty)
    // Its memory can be used for other files.
    #expect(
      file.state.withLock { $0.giveUp(extent) } && file.cachedBlocks == BlockSet(0..<1))
  }

  @Test func memoryComesBackOnAnyThread() throws {
    let file = try directory().file()
    DispatchQueue.concurrentPerform(iterations: 4) { [memory] number in
      for _ in 0..<5000 {
        #expect(memory.take(number, of: file, file.owner, blockSize: 16) != nil)
      }
    }
    #expect(memory.used == 0 && memory.files.isEmpty)
  }

  // MARK: A disk that takes nothing

  @Test func whatTheDiskDoesNotTakeGoesToTheRescuerAndNowhereElse() throws {
    guard let disk = cache.temporary.mountSmallDisk("cache", bytes: 64 << 10) else {
      return print("skipped: a small disk can only be mounted by root")
    }
    let directory = try directory()
    let large = Representation(length: 1 << 20, validator: .none)
    let file = try directory.file(large)
    _ = disk
    let rescued = Locked<[BlockIndex: [UInt8]]>([:])
    let error = Locked<StorageError?>(nil)
    file.rescueBlocks { file, blocks, reason in
      error.withLock { $0 = reason }
      for block in blocks {
        let bytes = file.takeBack(block)
        rescued.withLock { $0[block] = bytes }
      }
    }
    for start in stride(from: 0, to: 256 << 10, by: 4096) {
      // While the disk takes nothing, one block at a time tries it.
      try? file.write(start..<start + 4096)
      time.advance(by: Writer.delay)
    }
    guard case .noSpace? = error.withLock({ $0 }) else {
      Issue.record("the disk has taken everything")
      return
    }
    let lost = rescued.withLock { $0 }
    #expect(!lost.isEmpty && !file.cachedBlocks.isEmpty)
    for (block, bytes) in lost {
      #expect(
        !file.cachedBlocks.contains(block) && bytes == Pattern.bytes(file.layout.bytes(of: block)))
    }
    for block in file.cachedBlocks.runs(in: file.layout.all).joined() {
      let range = file.layout.bytes(of: block)
      #expect(lost[block] == nil && file.bytes(range) == Pattern.bytes(range))
    }
    directory.close()
  }
}

extension BlockSet {
  fileprivate func union(_ range: Range<Int>) -> BlockSet {
    var all = self
    all.insert(BlockIndex(range.lowerBound)..<BlockIndex(range.upperBound))
    return all
  }
}
