import Testing

@testable import Streams

/// The facts of one resource are learnt from few of its bytes, whatever shape they have.
struct StrandPlanTests {
  @Test func anIndexTellsTheFragments() throws {
    let film = TestBoxes.film()
    let (index, requests) = try Assembly.index(of: film)
    #expect(requests == [0..<film.count])
    #expect(index.fragments.map(\.start) == [0, 200_000_000])
    #expect(index.fragments.map(\.duration) == [200_000_000, 200_000_000])
    #expect(index.fragments.last?.bytes.upperBound == film.count)
    #expect(index.end == 400_000_000)
    #expect(index.tracks[0].description.defaultDuration == 40_000_000)
  }

  @Test func anIndexOfOneFragmentOnlyIsNotBelieved() throws {
    let run = TestBoxes.Run(samples: [(200_000, 40, 0, 0), (50_000, 40, 0x1_0000, 0)])
    let fragments = (0..<3).map { TestBoxes.fragment(time: $0 * 80, run) }
    let film =
      TestBoxes.brand + TestBoxes.moov([TestBoxes.Track()])
      + fragments.flatMap { TestBoxes.sidx([($0.count, 80, false)]) + $0 }
    let (index, requests) = try Assembly.index(of: film)
    #expect(index.fragments.map(\.start) == [0, 80_000_000, 160_000_000])
    #expect(index.end == 240_000_000)
    #expect(index.fragments.map(\.bytes.upperBound).last == film.count)
    // The heads alone were asked for.
    #expect(requests.dropFirst().allSatisfy { $0.count < 20_000 })
    let file = try Assembly.file(try Assembly.layout([index]), [film])
    #expect(file.asked < 60_000)
  }

  @Test func anIndexOfIndexesIsReadOneLevelDeep() throws {
    let run = TestBoxes.Run(samples: [(10, 40, 0, 0), (10, 40, 0x1_0000, 0)])
    let fragments = (0..<4).map { TestBoxes.fragment(time: $0 * 80, run) }
    let size = fragments[0].count
    let inner = [0, 160].map {
      TestBoxes.sidx(earliest: $0, [(size, 80, false), (size, 80, false)])
    }
    let half = inner[0].count + 2 * size
    let front = TestBoxes.brand + TestBoxes.moov([TestBoxes.Track()])
    let film =
      front + TestBoxes.sidx([(half, 160, true), (half, 160, true)]) + inner[0] + fragments[0]
      + fragments[1] + inner[1] + fragments[2] + fragments[3]
    let index = try Assembly.index(of: film).index
    #expect(index.fragments.map(\.start) == [0, 80, 160, 240].map { $0 * 1_000_000 })
    #expect(index.fragments.allSatisfy { $0.bytes.count == size })

    let deep =
      front + TestBoxes.sidx([(3 * inner[0].count, 160, true)])
      + TestBoxes.sidx([(2 * inner[0].count - 12, 160, true)])
      + TestBoxes.sidx([(inner[0].count, 80, false)]) + [0, 0, 0, 12] + Array("free1234".utf8)
    #expect(throws: StreamError.self) { try Assembly.index(of: deep) }
  }

  @Test func fragmentsWithoutAKeyPictureGoWithTheOneBefore() throws {
    let key = TestBoxes.Run(samples: [(10, 40, 0, 0)])
    let other = TestBoxes.Run(samples: [(10, 40, 0x1_0000, 0)])
    let film =
      TestBoxes.brand + TestBoxes.moov([TestBoxes.Track()]) + TestBoxes.fragment(time: 0, key)
      + TestBoxes.fragment(time: nil, other) + TestBoxes.fragment(time: 80, other)
      + TestBoxes.fragment(time: 120, key)
    let index = try Assembly.index(of: film).index
    #expect(index.fragments.map(\.start) == [0, 120_000_000])
    #expect(index.fragments.map(\.duration) == [120_000_000, 40_000_000])
    _ = try Assembly.file(try Assembly.layout([index]), [film])
  }

  @Test func thePlansAnswerDoesNotDependOnHowBytesCome() throws {
    let film = TestBoxes.film()
    let whole = try Assembly.index(of: film).index
    var plan = StrandPlan(length: film.count)
    var place = 0
    while case .needs(let range) = try plan.step() {
      #expect(range.lowerBound <= place)
      plan.take(film[place..<min(place + 7, film.count)], at: place)
      place += 7
      guard place < film.count + 7 else { break }
    }
    #expect(try plan.step() == .done(whole))
  }

  @Test func bytesOfAPlaylistBehindTheEndAreRefused() throws {
    let film = TestBoxes.film(hasIndex: false)
    let segments = [StrandPlan.Segment(bytes: 500..<film.count + 1, duration: 1)]
    #expect(throws: StreamError.self) { try Assembly.index(of: film, segments: segments) }
  }

  @Test func aFilmOnTheClockOfABroadcastBeginsAtItsBeginning() throws {
    let hour = 3_600_000
    let film = TestBoxes.film(times: [hour, hour + 200], hasIndex: false)
    let layout = try Assembly.layout([try Assembly.index(of: film).index])
    #expect(layout.zero == 3600 * 1_000_000_000)
    #expect(layout.fragments.map(\.start) == [0, 200_000_000])
    #expect(layout.duration == 400_000_000)
  }

  @Test func aFilmThatBeginsBeforeZeroIsMovedAsAWhole() throws {
    var track = TestBoxes.Track()
    track.edits = [(0, 30)]
    let film = TestBoxes.film(tracks: [track], hasIndex: false)
    let layout = try Assembly.layout([try Assembly.index(of: film).index])
    #expect(layout.zero == -30_000_000)
    #expect(layout.fragments[0].start == 0)
  }
}
