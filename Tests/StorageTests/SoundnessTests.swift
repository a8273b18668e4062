import Blocks
import Dispatch
import Storage
import SystemPackage
import TestSupport
import Testing

/// Other processes may read a file only when nothing about it is in doubt.
@Suite(.timeLimit(.minutes(1))) struct SoundnessTests {
  private let cache = CacheFixture()

  @Test func aFileIsSoundWhenItIsWholeAndOnTheDisk() throws {
    let file = try cache.directory(flushDelay: .seconds(3600)).file()
    try file.write(0..<99)
    #expect(!file.isWhole)
    try file.makeDurable { true }
    #expect(!file.isDurable)
    try file.write(99..<100)
    #expect(file.isWhole && !file.isDurable)
    try file.makeDurable { true }
    #expect(file.isDurable)

    file.drop(BlockIndex(3)..<BlockIndex(4))
    #expect(!file.isWhole && !file.isDurable)
  }

  @Test func whatAnUncleanStopLeftIsSoundOnlyWhenAllWasCompared() throws {
    try cache.keep([0..<100], closing: false)
    let file = try cache.directory().file()
    #expect(file.isWhole && !file.isDurable)
    var looks = 0
    try file.makeDurable {
      looks += 1
      return looks <= 3
    }
    #expect(!file.isDurable)
    try file.makeDurable { true }
    #expect(file.isDurable)
    #expect(try cache.read(file) == Pattern.bytes(0..<100))
  }

  @Test(arguments: [0, 40, 99]) func aFileWithAWrongByteIsNeverSound(offset: Int) throws {
    try cache.keep([0..<100], closing: false)
    let path = try cache.path(endingWith: ".data")
    var bytes = try TemporaryDirectory.read(path)
    bytes[offset] ^= 1
    try TemporaryDirectory.write(bytes, to: path)

    let directory = try cache.directory()
    let file = try directory.file()
    try file.makeDurable { true }
    #expect(!file.isWhole && !file.isDurable)
    let left = [0: [16..<100], 40: [0..<32, 48..<100], 99: [0..<96]]
    #expect(
      directory.holding(CacheFixture.key, CacheFixture.representation)
        == Holding(
          bytes: offset == 99 ? 96 : 84, isDurable: false, extents: try #require(left[offset])))
  }

  @Test(arguments: [true, false]) func nothingIsReadBehindTheEnd(closing: Bool) throws {
    try cache.keep([0..<100], closing: closing)
    let path = try cache.path(endingWith: ".data")
    try TemporaryDirectory.write(Pattern.bytes(0..<120), to: path)

    let file = try cache.directory().file()
    try file.makeDurable { true }
    #expect(file.isDurable)
    #expect(try cache.read(file) == Pattern.bytes(0..<100))
  }

  @Test(arguments: [true, false]) func whatIsNotOpenIsSoundAfterACleanStop(closing: Bool) throws {
    try cache.keep([0..<100], closing: closing)
    let holding = try cache.directory().holding(CacheFixture.key, CacheFixture.representation)
    #expect(holding == Holding(bytes: 100, isDurable: closing, extents: [0..<100]))
  }

  /// The disk is slow before a block is dropped. Meanwhile a reader may find the block wrong, too,
  /// and fetch it again.
  @Test func whatIsWrittenAgainWhileTheFileIsComparedStays() throws {
    for _ in 0..<20 {
      let cache = CacheFixture()
      try cache.keep([0..<100], closing: true)
      _ = try cache.directory()  // drops it without closing, which voids the mark
      let path = try cache.path(endingWith: ".data")
      try TemporaryDirectory.write([UInt8](repeating: 0, count: 100), to: path)

      let file = try cache.directory().file()
      let settled = DispatchSemaphore(value: 0)
      try startThread {
        try? file.makeDurable { true }
        settled.signal()
      }
      for block in file.layout.all {
        let bytes = file.layout.bytes(of: block)
        if file.bytes(bytes) == nil { try file.write(bytes) }
      }
      settled.wait()
      #expect(file.bytes(0..<100) == Pattern.bytes(0..<100))
    }
  }

  @Test func whatIsNotWholeIsNotSoundHoweverItWasStopped() throws {
    try cache.keep([0..<96], closing: true)
    let directory = try cache.directory()
    let holding = directory.holding(CacheFixture.key, CacheFixture.representation)
    #expect(holding == Holding(bytes: 96, isDurable: false, extents: [0..<96]))
    #expect(try !directory.file().isDurable)
  }
}

extension CacheFixture {
  fileprivate func read(_ file: EntryFile) throws -> [UInt8] {
    var bytes: [UInt8]?
    let isLent = file.lendDescriptor { descriptor in
      bytes = try? [UInt8](unsafeUninitializedCapacity: 200) { buffer, count in
        count = try descriptor.read(
          fromAbsoluteOffset: 0, into: UnsafeMutableRawBufferPointer(buffer))
      }
    }
    try #require(isLent)
    return try #require(bytes)
  }
}
