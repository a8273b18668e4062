import Blocks
import Glibc
import Storage
import SystemPackage
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct CacheDirectoryTests {
  private let cache = CacheFixture()

  @Test func theNewestVersionIsOneThatTheOriginHasNotReplaced() throws {
    let cache = CacheFixture()
    let old = CacheFixture.representation
    let new = Representation(length: 100, validator: .entityTag("\"2\""))
    let directory = try cache.directory()
    for version in [old, new] { try directory.file(version).write(0..<16) }
    directory.close()

    let again = try cache.directory()
    let entry = CacheFixture.key.entry
    #expect(again.newest(of: entry, besides: [new]) == old)
    #expect(again.newest(of: entry, besides: [old]) == new)
    #expect(again.newest(of: entry, besides: [old, new]) == nil)
  }

  @Test func everythingIsTheUsersAloneAndNamedByHashes() throws {
    let directory = try cache.directory()
    try directory.file(key: EntryKey(entry: "https://u:secret@h/a")).write(0..<100)
    directory.close()
    #expect(TemporaryDirectory.status(cache.root).st_mode & 0o7777 == 0o700)
    #expect(TemporaryDirectory.status(cache.folder).st_mode & 0o7777 == 0o700)
    let names = TemporaryDirectory.names(in: cache.folder)
    #expect(names.count == 4)
    for name in names {
      #expect(TemporaryDirectory.status(cache.folder.appending(name)).st_mode & 0o7777 == 0o600)
      #expect(["epoch", "pid"].contains(name) || name.prefix(32).allSatisfy(\.isHexDigit))
    }
    let tag = try TemporaryDirectory.read(cache.root.appending("CACHEDIR.TAG"))
    #expect(tag.starts(with: "Signature: 8a477f597d28d172789f06886806bc55".utf8))
    #expect(TemporaryDirectory.names(in: cache.root).count == 2)
  }

  @Test func whatIsWrittenIsFlushedSoon() {
    #expect(CacheDirectory.flushDelay == Figure.flushDelay.time)
  }

  @Test func theWayToTheRootIsMade() throws {
    let root = cache.temporary.path.appending("a/b/c")
    try CacheDirectory(at: root, feedKey: "feed").close()
    #expect(TemporaryDirectory.status(root.removingLastComponent()).st_mode & 0o7777 == 0o700)
  }

  @Test func aRootThatOthersMayWriteIsRefused() throws {
    for mode: mode_t in [0o770, 0o702, 0o1777] {
      mkdir(cache.root.string, 0o700)
      chmod(cache.root.string, mode)
      #expect(throws: StorageError.notOurs(cache.root, .writableByOthers)) {
        try cache.directory()
      }
      #expect(TemporaryDirectory.names(in: cache.root).isEmpty)
    }
  }

  @Test func aRootThatIsALinkOrAFileIsRefused() throws {
    mkdir(cache.temporary.path.appending("real").string, 0o700)
    symlink("real", cache.root.string)
    #expect(throws: StorageError.notOurs(cache.root, .noDirectory)) { try cache.directory() }
    unlink(cache.root.string)
    try TemporaryDirectory.write([], to: cache.root)
    #expect(throws: StorageError.notOurs(cache.root, .noDirectory)) { try cache.directory() }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a directory away"))
  func aRootOfAnotherUserIsRefused() throws {
    mkdir(cache.root.string, 0o700)
    chown(cache.root.string, 65534, 65534)
    #expect(throws: StorageError.notOurs(cache.root, .ownedBy(user: 65534))) {
      try cache.directory()
    }
  }

  @Test func aFeedsFolderThatIsALinkIsRefused() throws {
    mkdir(cache.root.string, 0o700)
    mkdir(cache.temporary.path.appending("elsewhere").string, 0o700)
    symlink("../elsewhere", cache.folder.string)
    #expect(throws: StorageError.notOurs(cache.folder, .noDirectory)) { try cache.directory() }
  }

  @Test func theSameFeedIsHeldOnceAndAnotherBesideIt() throws {
    let first = try cache.directory()
    #expect(throws: StorageError.inUse(cache.folder, holder: Int(getpid()))) {
      try cache.directory()
    }
    try CacheDirectory(at: cache.root, feedKey: "another").close()
    first.close()
    try cache.directory().close()
  }

  @Test func aLinkOrPipeUnderAFilesNameIsReplacedAndNotFollowed() throws {
    try cache.keep([0..<100], closing: true)
    let victim = cache.temporary.path.appending("victim")
    for suffix in [".data", ".idx"] {
      for makesPipe in [true, false] {
        try TemporaryDirectory.write(Array("mine".utf8), to: victim)
        let path = try cache.path(endingWith: suffix)
        unlink(path.string)
        if makesPipe { mkfifo(path.string, 0o600) } else { symlink(victim.string, path.string) }
        try cache.keep([0..<100], closing: true)
        #expect(try TemporaryDirectory.read(victim) == Array("mine".utf8))
        #expect(TemporaryDirectory.status(path).st_mode & S_IFMT == S_IFREG)
      }
    }
    let data = try cache.path(endingWith: ".data")
    unlink(data.string)
    link(victim.string, data.string)
    try cache.keep([0..<100], closing: true)
    #expect(try TemporaryDirectory.read(victim) == Array("mine".utf8))
  }

  @Test func everyoneGetsTheSameFileWhileItIsOpen() throws {
    let directory = try cache.directory()
    let file = try directory.file()
    #expect(try directory.file() === file)
    #expect(
      try directory.open(
        EntryKey(entry: "another"), CacheFixture.representation, contentType: nil, create: false)
        == nil)
  }

  @Test func eachVersionAndEachUnversionedURLHasAFileOfItsOwn() throws {
    let directory = try cache.directory()
    let none = Representation(length: 100, validator: .none)
    let files = try [
      directory.file(), directory.file(Representation(length: 99, validator: .entityTag("\"1\""))),
      directory.file(Representation(length: 100, validator: .entityTag("\"2\""))),
      directory.file(Representation(length: 100, validator: .lastModified("\"1\""))),
      directory.file(none, key: EntryKey(entry: "e", salt: "http://h/1")),
      directory.file(none, key: EntryKey(entry: "e", salt: "http://h/2")),
    ]
    try files[0].write(0..<16)
    for file in files[1...] { #expect(file.cachedBlocks.isEmpty) }
  }

  @Test func anEntryWhoseNameIsEndlessIsNotCached() throws {
    let directory = try cache.directory()
    let key = EntryKey(entry: String(repeating: "x", count: 100_000))
    #expect(throws: StorageError.self) { try directory.file(key: key) }
    #expect(
      try directory.open(key, CacheFixture.representation, contentType: nil, create: false) == nil)
  }

  @Test func alengthThatNoDiskHoldsIsAnErrorAndNoCrash() throws {
    let directory = try CacheDirectory(at: cache.root, feedKey: "feed")
    for length in [Int.max, 1 << 60] {
      let endless = Representation(length: length, validator: .none)
      #expect(throws: StorageError.self) { try directory.file(endless) }
    }
    #expect(TemporaryDirectory.names(in: cache.folder) == ["epoch", "pid"])
  }

  @Test func afterItsEndTheDirectoryLendsButTakesNothing() throws {
    let directory = try cache.directory()
    let file = try directory.file()
    try file.write(0..<20)
    directory.close()
    directory.close()
    #expect(throws: StorageError.self) { try file.write(20..<32) }
    #expect(throws: StorageError.closed(cache.folder)) { try directory.file() }
    #expect(file.bytes(0..<20) == Pattern.bytes(0..<20))
  }

  @Test func whatWasWrittenIsFlushedWithoutBeingAskedTo() async throws {
    let directory = try cache.directory(flushDelay: .milliseconds(1))
    let file = try directory.file()
    try file.write(0..<16)
    await until { file.isFlushed }
    try file.write(16..<32)
    await until { file.isFlushed }
    #expect(directory.trouble == nil)
  }

  @Test func thereIsRoomForWhatTheRuleLeaves() throws {
    let most = try CacheDirectory(at: cache.root, feedKey: "a", minFree: .percent(100))
    #expect(most.room(for: 1) == .diskIsFull)
    let none = try CacheDirectory(at: cache.root, feedKey: "b", minFree: .bytes(0))
    #expect(none.room(for: 1) == .enough)
    #expect(none.room(for: Int.max / 2) == .diskIsFull)
  }

  @Test func aFullDiskTakesNoMoreAndWhatItHasStaysRight() throws {
    guard let disk = cache.temporary.mountSmallDisk("disk", bytes: 1 << 20) else {
      return print("skipped: a small disk can only be mounted by root")
    }
    let root = disk.appending("cache")
    let large = Representation(length: 4 << 20, validator: .none)
    let directory = try CacheDirectory(at: root, feedKey: "feed", minFree: .bytes(256 << 10))
    let file = try directory.file(large)
    let failure = #expect(throws: StorageError.self) {
      for start in stride(from: 0, to: 4 << 20, by: 65536) {
        try file.write(Pattern.bytes(0..<65536).span.bytes, at: start)
        try file.writeOut()
      }
    }
    #expect(failure == .noSpace(try path(endingWith: ".data", below: root)))
    #expect(directory.room(for: 65536) == .diskIsFull)
    #expect((8...15).contains(file.cachedBlocks.count))
    #expect(throws: StorageError.self) { try directory.file(key: EntryKey(entry: "one more")) }
    directory.close()
    let again = try CacheDirectory(at: root, feedKey: "feed", minFree: .bytes(0)).file(large)
    #expect(again.cachedBlocks == file.cachedBlocks)
    for block in again.cachedBlocks.runs(in: again.layout.all).joined() {
      #expect(again.bytes(again.layout.bytes(of: block)) == Pattern.bytes(0..<65536))
    }
  }

  private func path(endingWith suffix: String, below root: FilePath) throws -> FilePath {
    let folder = root.appending(Fingerprint(of: "feed").description)
    let name = TemporaryDirectory.names(in: folder).first { $0.hasSuffix(suffix) }
    return folder.appending(name ?? "")
  }

  @Test(arguments: [true, false]) func aReadOnlyDiskIsReadFrom(closing: Bool) throws {
    guard let disk = cache.temporary.mountSmallDisk("cache", bytes: 1 << 20) else {
      return print("skipped: a disk can only be made read-only by root")
    }
    try cache.keep([16..<48], closing: closing, flushDelay: .zero)
    // An unclean stop leaves a file open for writing until it is flushed.
    while !cache.temporary.makeReadOnly(disk) { sched_yield() }
    let directory = try cache.directory()
    let file = try directory.file()
    #expect(file.bytes(16..<48) == Pattern.bytes(16..<48))
    #expect(throws: StorageError.self) { try file.write(0..<16) }
    #expect(throws: StorageError.self) { try directory.file(key: EntryKey(entry: "new")) }
    file.drop(file.layout.all)
    #expect(file.cachedBlocks.isEmpty)
    directory.close()
  }

  @Test func aDirectoryThatWasRemovedFailsForNewFilesOnly() throws {
    let directory = try cache.directory()
    let file = try directory.file()
    try file.write(0..<16)
    TemporaryDirectory.remove(cache.root)
    try file.write(16..<32)
    #expect(file.bytes(0..<32) == Pattern.bytes(0..<32))
    #expect(throws: StorageError.self) { try directory.file(key: EntryKey(entry: "new")) }
    _ = directory.room(for: 1)
    directory.close()
    #expect(TemporaryDirectory.names(in: cache.temporary.path).isEmpty)
  }

  @Test(arguments: [
    StorageError.noSpace("/c"), .inUse("/c", holder: 7), .inUse("/c", holder: nil),
    .notOurs("/c", .noDirectory), .notOurs("/c", .ownedBy(user: 1)),
    .notOurs("/c", .writableByOthers), .unwritable("/c", .readOnlyFileSystem),
    .io("/c", .ioError), .closed("/c"),
  ])
  func anErrorSaysWhereInOneLine(error: StorageError) {
    #expect(error.description.contains("/c"))
    #expect(error.description.contains(";") && !error.description.contains("\n"))
  }

  @Test func aRemovedFileServesThoseWhoHaveItAndNobodyElse() throws {
    let directory = try cache.directory()
    let old = try directory.file()
    try old.write(0..<100)
    directory.remove(CacheFixture.key, CacheFixture.representation)
    #expect(TemporaryDirectory.names(in: cache.folder) == ["epoch", "pid"])

    let new = try directory.file()
    #expect(new !== old && new.cachedBlocks.isEmpty)
    try new.write(0..<16, seed: 1)
    #expect(old.bytes(0..<100) == Pattern.bytes(0..<100))
    #expect(new.bytes(0..<16) == Pattern.bytes(0..<16, seed: 1))
    directory.close()
    #expect(TemporaryDirectory.names(in: cache.folder).count == 4)
  }
}
