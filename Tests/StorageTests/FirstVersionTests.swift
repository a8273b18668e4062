import Blocks
import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import Storage

/// The cache that the first version wrote, opened without a mount.
@Suite(.timeLimit(.minutes(1)))
struct FirstVersionTests {
  private let place = TemporaryDirectory()

  /// The cached ranges of the films.
  private static let orderly: [String: [ByteRange]] = [
    "whole": [0..<2_097_152], "pinned": [0..<1_048_576], "subtitled": [0..<1_048_576],
    "lengthless": [0..<524_288], "holed": [0..<524_288, 6_225_920..<6_291_456],
    "retitled": [0..<524_288], "dated": [0..<524_288],
    "nameless": [0..<524_288, 1_048_576..<1_572_864], "alias": [0..<524_288],
  ]
  private static let killed: [String: [ByteRange]] = [
    "whole": [0..<2_097_152], "subtitled": [0..<1_048_576],
    "lengthless": [0..<2_097_152], "holed": [0..<524_288], "dated": [0..<262_144],
    "alias": [0..<1_048_576],
  ]

  @Test(arguments: [FirstVersion.Life.orderly, .killed])
  func eachCachedByteIsTheOrigins(after life: FirstVersion.Life) throws {
    let directory = try directory(after: life)
    for (film, ranges) in life == .orderly ? Self.orderly : Self.killed {
      let file = try file(of: film, in: directory)
      #expect(file.cachedBlocks.extents(in: file.layout, atMost: 10) == ranges, "\(film)")
      for range in ranges {
        #expect(file.bytes(range) == FirstVersion.bytes(range, of: film), "\(film) \(range)")
      }
    }
    directory.close()
  }

  /// A clean mark saves a comparison of each block. It names the data file, and an unpacked one is
  /// another.
  @Test func aCleanMarkIsBelievedAndAnUncleanStopIsNot() throws {
    let left = try directory(after: .orderly)
    #expect(try !file(of: "whole", in: left).isDurable)
    left.close()
    TemporaryDirectory.remove(place.path.appending("orderly"))

    let marked = try directory(after: .orderly)
    let data = try marked.dataPath(of: name(of: "whole", in: marked))
    let index = FilePath(data.string.dropLast(".data".count) + ".idx")
    var bytes = try TemporaryDirectory.read(index)
    let mark = try #require(IndexHeader(Array(bytes[..<4096]))?.cleanMark)
    #expect(mark.data.size == 2_097_152)
    let status = TemporaryDirectory.status(data)
    let glance = FileGlance(
      inode: UInt64(status.st_ino), size: Int(status.st_size),
      changed: status.st_ctim.tv_sec * 1_000_000_000 + status.st_ctim.tv_nsec)
    let own = CleanMark(checksum: mark.checksum, data: glance)
    bytes.replaceSubrange(20..<64, with: CleanMark.encoded(own))
    bytes.replaceSubrange(16..<20, with: [0, 0, 0, 0])
    bytes.replaceSubrange(16..<20, with: CRC32C(of: Array(bytes[..<4096]).span.bytes).value.encoded)
    try TemporaryDirectory.write(bytes, to: index)
    #expect(try file(of: "whole", in: marked).isDurable)
    marked.close()

    let stopped = try directory(after: .killed)
    let file = try file(of: "whole", in: stopped)
    #expect(!file.isDurable && file.isWhole)
    try file.makeDurable { true }
    #expect(file.isDurable)
    stopped.close()
  }

  @Test func bytesOfABrokenAnswerAreStillSuspect() throws {
    let directory = try directory(after: .killed)
    let suspects = try directory.suspects(of: name(of: "dated", in: directory))
    #expect(suspects == [0..<300_000] || suspects == [0..<262_144], "\(suspects)")
    directory.close()
  }

  @Test func aDocumentIsRead() throws {
    let directory = try directory(after: .orderly)
    let words = directory.document(at: "http://127.0.0.1:47811/words.vtt")
    #expect(words?.starts(with: "WEBVTT\n\n".utf8) == true)
    directory.close()
  }

  @Test func aBodyWithoutLengthIsFound() throws {
    let folder = place.path.appending("rich")
    mkdir(folder.string, 0o700)
    try FirstVersion.unpack(.rich, into: folder.string)
    let directory = try CacheDirectory(
      at: folder.appending("cache/feedfs"), feedKey: FirstVersion.mixed, minFree: .bytes(0))
    let versions = directory.versions(of: "growing")
    #expect(versions.count == 1 && versions[0].key?.isGrowing == true)
    let (key, version) = try (#require(versions[0].key), #require(versions[0].representation))
    let file = try #require(
      try directory.open(key, version, contentType: nil, create: false))
    #expect(file.bytes(0..<262_144) == FirstVersion.bytes(0..<262_144, of: "growing"))
    directory.close()
  }

  @Test(arguments: [(FirstVersion.Life.orderly, "pinned"), (.killed, "alias")])
  func whatWasPinnedIsPinned(after life: FirstVersion.Life, film: String) throws {
    let directory = try directory(after: life)
    let pins = PinnedNames(in: directory.folder.file)
    #expect(directory.versions().filter { pins.contains($0.name) }.count == 1)
    #expect(try pins.contains(name(of: film, in: directory)))
    directory.close()
  }

  /// Its date is 34 years back, so it goes before what is used.
  @Test func whatWasReadToItsEndIsStillMarked() throws {
    let directory = try directory(after: .orderly)
    for (film, isMarked) in [("whole", true), ("pinned", false), ("lengthless", false)] {
      let version = try version(of: film, in: directory)
      let data = TemporaryDirectory.status(directory.dataPath(of: version.name))
      #expect((data.st_mtim.tv_sec < version.used) == isMarked, "\(film)")
    }
    directory.close()
  }

  private func directory(after life: FirstVersion.Life) throws -> CacheDirectory {
    let folder = place.path.appending(life.rawValue)
    mkdir(folder.string, 0o700)
    try FirstVersion.unpack(life, into: folder.string)
    return try CacheDirectory(
      at: folder.appending("cache/feedfs"), feedKey: FirstVersion.feed, minFree: .bytes(0))
  }

  private func name(of film: String, in directory: CacheDirectory) throws -> String {
    try version(of: film, in: directory).name
  }

  private func version(of film: String, in directory: CacheDirectory) throws -> CachedVersion {
    // One entry had its other id before the killed life began.
    let ids = ["id of \(film).mp4"] + (film == "alias" ? ["a new id"] : [])
    let versions = ids.flatMap { directory.versions(of: $0) }
    return try #require(versions.count == 1 ? versions.first : nil, "\(film): \(versions)")
  }

  private func file(of film: String, in directory: CacheDirectory) throws -> EntryFile {
    let version = try version(of: film, in: directory)
    let file = try directory.open(
      #require(version.key), #require(version.representation), contentType: nil, create: false)
    return try #require(file, "\(film)")
  }
}
