import Blocks
import Filling
import Streams
import TestSupport
import Testing

@testable import StreamFiles

/// Fetches of any parts come, break off and are cancelled, and tags change. What is given is right, and all
/// of it ends.
@Suite(.timeLimit(.minutes(1)))
struct FilmPartLifeTests {
  @Test(arguments: 0..<4 as Range<UInt64>, [true, false])
  func bytesAreRightAndAllEnds(seed: UInt64, hasSound: Bool) throws {
    var scene = try FilmScene(file: FragmentedFile.file(sample: 200_000, hasSound: hasSound))
    var random = SeededRandom(seed: seed)
    var ranges: [FetchID: ByteRange] = [:]
    for number in 1..<60 {
      let start = random.below(scene.truth.count)
      let length = random.below(random.chance(20) ? 1_000_000 : 20_000)
      let range = start..<min(scene.truth.count, start + 1 + length)
      scene.want(FetchID(number), range, random.chance(60) ? .demand : .ahead)
      ranges[FetchID(number)] = range
      for _ in 0..<random.below(5) {
        guard let next = scene.underWay.randomElement(using: &random) else { break }
        scene.give(next, 1 + random.below(150_000))
      }
      if random.chance(10), let next = scene.underWay.last {
        scene.end(next, PieceError(.failed, "cut"))
      }
      if random.chance(20) { scene.cancel(FetchID(1 + random.below(number))) }
      if random.chance(10) { scene.tag = ["", "b", nil].randomElement(using: &random) ?? nil }
      scene.pass(.milliseconds(random.below(500)))
    }
    scene.giveAll()
    scene.pass(.seconds(10))
    scene.giveAll()
    for (fetch, range) in ranges {
      let given = scene.given[fetch] ?? []
      #expect(given == Array(scene.truth[range].prefix(given.count)))
      #expect(scene.ends[fetch] != nil)
      #expect(scene.trouble(fetch) != nil || given.count == range.count)
    }
    scene.pass(.seconds(2))
    #expect(scene.underWay.isEmpty && scene.state.fetches.isEmpty)
    #expect(ranges.keys.count { scene.hasAll($0) } > 20)
  }
}
