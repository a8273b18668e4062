import Testing

@testable import Filling

/// A reader does not wait for a fetch that the others have starved.
@Suite(.timeLimit(.minutes(1)))
struct StarvedTests {
  /// Two readers wait at two places. In each tenth of a second the fetch of the first one brings
  /// `first` bytes, and that of the second one 25,000; this one ends after two seconds.
  private func scene(bringing first: Int) -> Scene {
    var scene = Scene()
    let places = [0, 32.mib]
    for place in places {
      let handle = scene.state.opened()
      scene.read(place..<place + 256.kib, by: handle)
    }
    let fetches = scene.underWay
    for fetch in fetches { scene.begin(fetch) }
    for step in 0..<20 {
      scene.pass(.milliseconds(100))
      for (fetch, (place, count)) in zip(fetches, zip(places, [first, 25_000])) where count > 0 {
        let start = place + step * count
        scene.give(start..<start + count, in: fetch)
      }
    }
    if let second = fetches.last { scene.end(second, .complete) }
    return scene
  }

  @Test func itsRestIsAskedForAgain() throws {
    let scene = scene(bringing: 500)

    let first = try #require(scene.asked.first)
    let last = try #require(scene.asked.last)
    #expect(scene.cancelled == [first.fetch])
    #expect(last.bytes.lowerBound <= 10_000 && last.bytes.upperBound >= 256.kib)
    #expect(last.urgency == .demand)
  }

  @Test func aFetchThatHasItsShareGoesOn() {
    #expect(scene(bringing: 6_000).cancelled == [])
  }

  /// That is for the timeouts, which count how often the origin does so.
  @Test func aFetchThatBringsNothingIsLeftToItsTimeout() {
    #expect(scene(bringing: 0).cancelled == [])
  }
}
