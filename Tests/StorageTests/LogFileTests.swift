import SystemPackage
import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(1)))
struct LogFileTests {
  @Test(arguments: [
    (900, 0, false), (1000, 0, false), (1001, 0, true), (900, 100, false), (900, 101, true),
    (0, 5000, false),
  ])
  func aLogIsMovedAsideBeforeItBecomesTooLong(size: Int, room: Int, isMoved: Bool) throws {
    let folder = TemporaryDirectory()
    let path = folder.path.appending("log")
    let first = try LogFile.open("log", in: folder.path, maxBytes: 1000)
    try first.closeAfter { _ = try first.writeAll([UInt8](repeating: 1, count: size)) }
    let second = try LogFile.open("log", in: folder.path, maxBytes: 1000, room: room)
    let left = try second.closeAfter { try second.seek(offset: 0, from: .end) }
    #expect(left == (isMoved ? 0 : Int64(size)))
    let old = try? FileDescriptor.open(path.string + ".1", .readOnly)
    #expect((old != nil) == isMoved)
    try old?.close()
  }
}
