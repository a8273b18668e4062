import Blocks
import Filling
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

  @Test mutating func aFetchIsToldToWaitBehindAllThatIsThere() throws {
    let file = FragmentedFile.file(sample: 40_000)
    scene = try FilmScene(file: file)
    scene.want(1, all)
    let asked = scene.asked[0]
    scene.answer(asked)
    let some = file[asked.range.lowerBound..<scene.layout.fragments[1].bytes.lowerBound + 100]
    let actions = scene.state.received(asked.piece, Array(some), at: scene.now)
    #expect(actions.count > 1 && actions.last == .rested(1))
  }

  @Test mutating func aRequestThatHasNoAnswerEndsItsFetch() {
    let cut = PieceError(.unanswered, "no answer")
    scene.want(1, all)
    scene.end(scene.asked[0], cut)
    #expect(scene.trouble(1) == cut)
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

  /// Its slot has room for more pictures than it has.
  @Test mutating func aLongFragmentOfFewPicturesIsFilledUp() throws {
    scene = try FilmScene(file: FragmentedFile.file(duration: 40_000))
    #expect(scene.truth.count == scene.layout.length)
    #expect(scene.layout.fragments.allSatisfy { $0.slot > $0.bytes.count + 128 << 10 })
    scene.want(1, scene.places[0]..<scene.places[2])
    scene.giveAll()
    #expect(scene.hasAll(1))
  }

  // MARK: Damage

  /// Damages the table of the second fragment.
  ///
  /// - Parameter place: that in the table: of its count, or of the size of its first sample.
  private mutating func damage(at place: Int = 16) throws {
    let bytes = scene.contents[0]
    let table = try #require(bytes.indices.last { bytes[$0...].starts(with: Array("trun".utf8)) })
    scene.contents[0][table + place] = 0x7F
  }

  /// More samples than a fragment may have are asked for once more: the answer may have been damaged.
  @Test(arguments: [500, 40_000])
  mutating func aTableOfWhichNoSlotCanBeMadeIsAskedForOnceMore(sample: Int) throws {
    let file = FragmentedFile.file(sample: sample)
    scene = try FilmScene(file: file)
    let fragment = scene.layout.fragments[1].bytes
    let table = fragment.prefix(16 << 10)
    try damage(at: 8)
    scene.want(1, all)
    let first = scene.asked[0]
    scene.give(first, table.upperBound - first.range.lowerBound)
    // The rest of the first answer is of no use.
    #expect(scene.cancelled == (table == fragment ? [] : [first.piece]))
    try #require(scene.asked.map(\.range) == [first.range, table])
    scene.contents[0] = file
    scene.giveAll()
    #expect(scene.hasAll(1) && scene.given[1] == Array(scene.truth[all]))
  }

  // MARK: Seeks

  /// Seeks far into the second fragment. Returns the part, and how many requests came before.
  private mutating func seek() throws -> (part: ByteRange, asked: Int) {
    scene = try FilmScene(file: FragmentedFile.file(sample: 100_000))
    scene.want(1, scene.places[0]..<scene.places[0] + 1)
    scene.giveAll()
    return (scene.places[1] + 200_000..<scene.places[1] + 210_000, scene.asked.count)
  }

  @Test mutating func aFarPlaceCostsTheTableAndItsBytes() throws {
    let (part, asked) = try seek()
    scene.want(2, part)
    scene.giveAll()
    #expect(scene.given[2] == Array(scene.truth[part]))
    try #require(scene.asked.count == asked + 2)
    #expect(scene.asked[asked].range == scene.layout.fragments[1].bytes.prefix(16 << 10))
    #expect(scene.asked[asked + 1].range.count <= part.count)
  }

  @Test mutating func aFarPlaceThatIsLostCostsNoRequestForAWhile() throws {
    let (part, asked) = try seek()
    let file = scene.contents[0]
    try damage(at: 8)
    scene.want(2, part)
    scene.giveAll()
    #expect(scene.trouble(2)?.end == .impossible && scene.asked.count == asked + 2)
    scene.want(3, part)
    #expect(scene.trouble(3)?.end == .impossible && scene.asked.count == asked + 2)
    scene.contents[0] = file
    scene.now += .milliseconds(500)
    scene.want(4, part)
    scene.giveAll()
    #expect(scene.given[4] == Array(scene.truth[part]))
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
    #expect(scene.cancelled == [scene.asked[1].piece])
    scene.giveAll()
    #expect(scene.hasAll(1))
  }
}
