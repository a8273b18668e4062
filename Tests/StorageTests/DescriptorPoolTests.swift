import SystemPackage
import TestSupport
import Testing

@testable import Storage

/// The pool keeps only as many cache files open as it has descriptors for.
@Suite(.timeLimit(.minutes(1))) struct DescriptorPoolTests {
  private let temporary = TemporaryDirectory()

  private func folder() throws -> Folder {
    try Folder(at: temporary.path.appending("folder"), create: true)
  }

  /// A pool of one descriptor at a time: every number is too high.
  private let narrow = DescriptorPool { DescriptorLimit(0) }

  @Test func aFewDescriptorsAreEnough() {
    #expect(DescriptorLimit.minDescriptors == Figure.descriptors.count)
  }

  @Test func whatWasClosedForOthersIsOpenedAgainWhenItIsUsed() throws {
    let folder = try folder()
    let files = try (0..<5).map {
      try PooledFile("\($0)", in: folder.file, for: .create, of: narrow)
    }
    for turn in 0..<3 {
      for (number, file) in files.enumerated() {
        try file.write([UInt8(number), UInt8(turn)], at: 2 * turn)
        #expect(narrow.count == 1)
      }
    }
    for (number, file) in files.enumerated() {
      let expected = (0..<3).flatMap { [UInt8(number), UInt8($0)] }
      #expect(try file.read(10, at: 0) == expected)
      try file.syncData()
    }
  }

  @Test func theLongestUnusedIsClosedFirst() throws {
    let folder = try folder()
    let wide = DescriptorPool { DescriptorLimit(1 << 20) }
    let files = try (0..<4).map {
      try PooledFile("\($0)", in: folder.file, for: .create, of: wide)
    }
    #expect(wide.count == 4)
    _ = try files[0].status()
    #expect(wide.giveUp())
    #expect(files.map { $0.number > 0 } == [true, false, false, true])
  }

  @Test func anotherFileUnderItsNameIsNotTakenForIt() throws {
    let folder = try folder()
    let file = try PooledFile("a", in: folder.file, for: .create, of: narrow)
    try file.write([1], at: 0)
    let other = try PooledFile("b", in: folder.file, for: .create, of: narrow)
    try folder.file.rename("b", to: "a")
    #expect(throws: Errno.ioError) { try file.read(1, at: 0) }
    withExtendedLifetime(other) {}
  }

  @Test func whatIsHeldOutlivesItsName() throws {
    let folder = try folder()
    let file = try PooledFile("a", in: folder.file, for: .create, of: narrow)
    try file.write([1], at: 0)
    file.hold()
    try folder.file.remove("a")
    let other = try PooledFile("b", in: folder.file, for: .create, of: narrow)
    try file.write([2], at: 1)
    #expect(try file.read(2, at: 0) == [1, 2])
    withExtendedLifetime(other) {}
  }

  @Test func whatNobodyHasAnyMoreIsClosed() throws {
    let folder = try folder()
    let wide = DescriptorPool { DescriptorLimit(1 << 20) }
    do {
      let file = try PooledFile("a", in: folder.file, for: .create, of: wide)
      try file.write([1], at: 0)
      #expect(wide.count == 1)
    }
    #expect(wide.count == 0)
    #expect(!wide.giveUp())
  }

  @Test func aFileThatIsClearedWhileItIsOpenIsReadOn() throws {
    let cache = CacheFixture()
    let directory = try cache.directory()
    let file = try directory.file()
    try file.write(0..<64)
    directory.remove(CacheFixture.key, CacheFixture.representation)
    // No other descriptor of the file stays open.
    while DescriptorPool.ofProcess.giveUp() {}
    #expect(file.bytes(0..<64) == Pattern.bytes(0..<64))
  }

  @Test(arguments: [32, 64, 256, 1024, 1 << 16]) func eachHasAShare(_ count: Int) {
    let limit = DescriptorLimit(count)
    #expect(limit.connections >= 3)
    // A mount with one connection uses 21 descriptors besides its files.
    #expect(limit.endOfFiles >= 23)
    #expect(limit.endOfFiles + limit.connections + 4 <= count)
    #expect(limit.endOfFiles >= count / 2)
  }
}
