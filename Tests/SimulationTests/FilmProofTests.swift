import Blocks
import Filling
import Streams
import TestSupport
import Testing

@testable import StreamFiles

/// An answer with a tag that is not known waits until bytes of the layout were asked for and compared.
@Suite(.timeLimit(.minutes(1)))
struct FilmProofTests {
  private static let broken = PieceError(.failed, "cut")

  private var scene: FilmScene
  private var fetch: FetchID = 1

  /// Reads the film once. Then two samples prove an answer.
  init() throws {
    scene = try FilmScene(file: FragmentedFile.whole)
    scene.want(fetch, scene.places[0]..<scene.places[2])
    scene.giveAll()
  }

  /// Asks for a part, whose answer has this tag. Returns the request, and that for the first sample.
  private mutating func want(
    _ tag: String, _ urgency: Urgency = .demand
  ) -> (part: FilmScene.Asked, sample: FilmScene.Asked?) {
    let (start, before) = (scene.places[1] + 600, scene.asked.count)
    fetch = fetch.next
    scene.want(fetch, start..<start + 100, urgency)
    scene.tag = tag
    scene.answer(scene.asked[before])
    return (scene.asked[before], scene.asked.dropFirst(before + 1).first)
  }

  /// Gives the sample that was asked for last.
  private mutating func giveSample() { scene.give(scene.asked[scene.asked.count - 1]) }

  /// Each of two versions has shown a part of the bytes alone.
  @Test(arguments: ["c", "d"])
  mutating func aTagIsKnownOnceAllSamplesCameWithIt(second: String) throws {
    let (part, sample) = want("b")
    try #require(sample != nil)
    scene.tag = "c"
    giveSample()
    scene.tag = second
    giveSample()
    scene.give(part)
    #expect(scene.hasAll(fetch))
    for tag in ["c", second] {
      #expect((want(tag).sample == nil) == (second == "c"), "\(tag)")
      scene.giveAll()
      #expect(scene.hasAll(fetch))
    }
  }

  @Test mutating func aSampleIsNotAskedForAgainBeforeItsTime() throws {
    let (part, sample) = want("b")
    scene.end(try #require(sample), Self.broken)
    let asked = scene.asked.count
    scene.give(part, 50)
    scene.give(part)
    #expect(scene.asked.count == asked && scene.given[fetch] == nil)
    scene.pass(.milliseconds(300))
    #expect(scene.asked.count == asked + 1)
    scene.giveAll()
    #expect(scene.hasAll(fetch))
  }

  @Test(arguments: [(100, 300), (5000, 5000), (60_000, 10_000)])
  mutating func aBusyOriginSaysHowLongItIsLeftAloneWithinTenSeconds(
    said: Int, pause: Int
  ) throws {
    let sample = try #require(want("b").sample)
    scene.end(sample, PieceError(.busy(after: .milliseconds(said)), "busy"))
    #expect(scene.wakes.last == scene.now + .milliseconds(pause))
  }

  @Test mutating func eachSampleHasTriesOfItsOwn() throws {
    let part = want("b").part
    for _ in 0..<2 {
      for pause in [300, 1200] {
        scene.end(scene.asked[scene.asked.count - 1], Self.broken)
        scene.pass(.milliseconds(pause))
      }
      giveSample()
    }
    scene.give(part)
    #expect(scene.hasAll(fetch))
  }

  @Test mutating func theSampleIsPromotedWithThePartThatItProves() throws {
    let (part, sample) = want("b", .ahead)
    #expect(try #require(sample).urgency == .ahead)
    scene.promote(fetch)
    #expect(scene.promoted == [part.piece, sample?.piece])
  }

  @Test mutating func theSampleEndsWithThePartThatItProves() throws {
    let (part, sample) = want("b")
    scene.cancel(fetch)
    #expect(scene.cancelled == [part.piece, try #require(sample).piece])
    #expect(scene.state.pieces.isEmpty)
  }
}
