import SystemPackage
import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(1))) struct SpoolTests {
  @Test(arguments: [0, 1, 3, 40])
  func whatWasMadeInPiecesIsReadInAnyParts(pieces: Int) throws {
    let folder = TemporaryDirectory()
    let spool = Spool(in: folder.path, pieces: pieces) { Self.piece($0) }
    let whole = (0..<pieces).flatMap { Self.piece($0) }

    #expect(spool.count == whole.count)
    for start in stride(from: 0, to: whole.count + 1, by: 77_777) {
      let range = start..<start + 150_000
      #expect(try spool.read(range) == Array(whole[range.clamped(to: 0..<whole.count)]))
    }
    #expect(try spool.read(whole.count..<whole.count + 9) == [])
  }

  @Test func whereNoFileCanBeMadeItIsReadAllTheSame() throws {
    let spool = Spool(in: "/nowhere/at/all", pieces: 40) { Self.piece($0) }

    #expect(try spool.read(0..<spool.count) == (0..<40).flatMap { Self.piece($0) })
  }

  private static func piece(_ number: Int) -> [UInt8] {
    (0..<60_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) }
  }
}
