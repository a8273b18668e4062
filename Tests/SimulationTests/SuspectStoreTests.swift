import Blocks
import SystemPackage
import TestSupport
import Testing

@testable import Storage

/// Suspect ranges that the disk does not take.
@Suite(.timeLimit(.minutes(1))) struct SuspectStoreTests {
  private static let block = 16
  private static let representation = Representation(
    length: 10 * block, validator: .entityTag("\"1\""))
  private let disk = SimulatedDisk(seed: 1)
  private let time = ManualTime()

  /// Opens the cache as the next process does, and its only file.
  private func open() throws -> (cache: CacheDirectory, file: EntryFile) {
    let cache = try CacheDirectory(
      in: Folder(SimulatedFile(disk), at: "/simulated"), feedKey: "feed", minFree: .bytes(0),
      limit: nil, blockSize: Self.block, flusher: Flusher(delay: .seconds(1)) { _, _ in },
      writer: Writer { [time] delay, body in time.call(after: delay, body) })
    let file = try cache.open(
      EntryKey(entry: "urn:entry:1"), Self.representation, contentType: nil, create: true)
    return (cache, try #require(file))
  }

  /// The next process would believe the bytes of a broken answer.
  @Test(arguments: 1...4) func whereOneCallFailsNoSuspectByteIsBelieved(call: Int) throws {
    let (cache, file) = try open()
    try file.write(Pattern.bytes(0..<160).span.bytes, at: 0)
    time.advance(by: Writer.delay)
    cache.suspect([0..<20], of: file)
    disk.failure = SimulatedDisk.Failure(call: call, errno: .ioError, stays: false)
    cache.suspect([0..<20, 50..<70], of: file)
    #expect(disk.hasFailed == (call <= 3), "it takes another number of calls now")

    let next = try open().file
    for byte in [0, 19, 50, 69] where next.cachedBlocks.contains(next.layout.block(at: byte)) {
      #expect(next.suspects.contains { $0.contains(byte) }, "byte \(byte) is believed")
    }
    #expect(next.cachedBlocks.contains(BlockIndex(9)), "more than the suspect blocks are gone")
  }
}
