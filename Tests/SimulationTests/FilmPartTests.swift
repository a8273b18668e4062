import Blocks
import Filling
import Streams
import TestSupport
import Testing

@testable import StreamFiles

/// Pictures and sounds that lie apart in a long fragment: of it only what a part needs is asked for.
@Suite(.timeLimit(.minutes(1)))
struct FilmPartTests {
  private static let file = FragmentedFile.file(sample: 200_000, hasSound: true)

  private var scene: FilmScene
  /// The requests so far.
  private let asked: Int

  /// The version is proved by the first byte.
  init() throws {
    scene = try FilmScene(file: Self.file)
    scene.want(1, scene.places[0]..<scene.places[0] + 1)
    scene.giveAll()
    asked = scene.asked.count
  }

  private var fragment: ByteRange { scene.layout.fragments[1].bytes }
  /// The ranges that were asked for since.
  private var ranges: [ByteRange] { scene.asked.dropFirst(asked).map(\.range) }

  @Test mutating func aPartCostsTheTableAndARangeOfEachTrack() throws {
    let part = scene.places[1] + 395_000..<scene.places[1] + 405_000
    scene.want(2, part)
    scene.giveAll()
    #expect(scene.given[2] == Array(scene.truth[part]))
    try #require(ranges.count == 3 && ranges[0] == fragment.prefix(16 << 10))
    #expect(ranges[1].count + ranges[2].count <= part.count)
  }

  /// A reader that reads on wants the rest of the slot next.
  @Test(arguments: [Urgency.demand, .ahead])
  mutating func aFetchAheadFromTheBeginningOfASlotMakesAllOfIt(urgency: Urgency) throws {
    let part = scene.places[1]..<scene.places[1] + 10_000
    scene.want(2, part, urgency)
    #expect((ranges == [fragment]) == (urgency == .ahead))
    scene.giveAll()
    #expect(scene.given[2] == Array(scene.truth[part]))
    #expect(urgency == .ahead || ranges.reduce(0) { $0 + $1.count } < 30_000)
  }

  @Test mutating func theRangesOfASlotAreForgottenWithIt() throws {
    let part = scene.places[1] - 5000..<scene.places[1] + 5000
    scene.want(2, part)
    scene.give(scene.asked[asked])
    #expect(ranges.count == 2 && scene.state.pieces.count == 1)
    scene.giveAll()
    #expect(scene.given[2] == Array(scene.truth[part]))
  }
}
