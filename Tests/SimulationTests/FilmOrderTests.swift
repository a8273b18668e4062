import Blocks
import Streaming
import Streams
import TestSupport
import Testing

@testable import FeedMount
@testable import StreamFiles

/// Slots whose samples come in their order: one request brings neighbours, and nothing is made as a
/// whole.
@Suite(.timeLimit(.minutes(1)))
struct FilmOrderTests {
  private var scene: FilmScene
  private let file = FragmentedFile.whole

  init() throws {
    scene = try FilmScene(file: file)
  }

  private var all: ByteRange { scene.places[0]..<scene.places[2] }

  @Test mutating func neighboursComeByOneRequest() {
    scene.want(1, all)
    #expect(scene.asked.count == 1 && scene.asked[0].range.upperBound == file.count)
    while let next = scene.underWay.first { scene.give(next, 100) }
    #expect(scene.hasAll(1) && scene.given[1] == Array(scene.truth[all]))
    #expect(scene.state.slots.isEmpty && scene.state.pieces.isEmpty)
  }

  @Test mutating func smallPiecesAreGivenTogether() {
    scene.want(1, all)
    scene.giveAll()
    #expect(scene.hasAll(1) && scene.portions.count <= 2)
  }

  /// Each byte is copied once on its way out of libcurl, and once into the cache.
  @Test mutating func aLargePieceIsGivenWithoutACopy() throws {
    let file = FragmentedFile.file(sample: 40_000)
    scene = try FilmScene(file: file)
    scene.want(1, all)
    let asked = scene.asked[0]
    scene.answer(asked)
    var direct = 0
    for start in stride(from: asked.range.lowerBound, to: asked.range.upperBound, by: 16 << 10) {
      let portion = Array(file[start..<min(asked.range.upperBound, start + 16 << 10)])
      let memory = addresses(of: portion[...])
      let actions = scene.state.received(asked.piece, portion, at: scene.now)
      scene.note(actions)
      for case .give(_, let bytes, _) in actions
      where memory.contains(addresses(of: bytes).lowerBound) {
        direct += bytes.count
      }
    }
    #expect(scene.hasAll(1) && scene.given[1] == Array(scene.truth[all]))
    #expect(direct * 100 > 90 * 240_000, "\(direct)")
  }

  private func addresses(of bytes: ArraySlice<UInt8>) -> Range<UInt> {
    bytes.withUnsafeBytes { memory in
      let start = UInt(bitPattern: memory.baseAddress)
      return start..<start + UInt(memory.count)
    }
  }

  @Test mutating func aFetchThatIsCancelledEndsItsRequests() {
    scene.want(1, all)
    scene.give(scene.asked[0], 300)
    scene.cancel(1)
    #expect(scene.cancelled == [scene.asked[0].piece] && scene.state.pieces.isEmpty)
  }

  /// Damages the table of the second fragment: the size of its first sample.
  private mutating func damage() throws {
    let table = try #require(file.indices.last { file[$0...].starts(with: Array("trun".utf8)) })
    scene.contents[0][table + 16] = 0x7F
  }

  @Test mutating func theBytesInFrontOfADamagedSlotAreGiven() throws {
    try damage()
    scene.want(1, all)
    scene.giveAll()
    #expect(scene.trouble(1) != nil)
    #expect(scene.given[1] == Array(scene.truth[scene.places[0]..<scene.places[1]]))
    scene.contents[0] = file
    scene.now += .seconds(5)
    scene.want(2, all)
    scene.giveAll()
    #expect(scene.hasAll(2) && scene.given[2] == Array(scene.truth[all]))
  }

  @Test mutating func placesThatAreKnownAreNotAskedForAgain() {
    scene.want(1, all)
    scene.giveAll()
    let part = scene.places[1] + 600..<scene.places[1] + 700
    scene.want(2, part)
    #expect(scene.asked.count == 2 && scene.asked[1].range.count <= part.count)
    scene.giveAll()
    #expect(scene.given[2] == Array(scene.truth[part]))
  }

  @Test mutating func aFileOfAnotherLengthIsAnotherVersion() {
    scene.want(1, all)
    scene.answer(scene.asked[0])
    scene.want(2, all)
    scene.answer(scene.asked[1], length: file.count + 5)
    #expect(scene.trouble(2)?.end == .changed && scene.ends[1] == nil)
    scene.giveAll()
    #expect(scene.hasAll(1))
  }
}
