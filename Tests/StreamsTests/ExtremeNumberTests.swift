import TestSupport
import Testing

@testable import Streams

/// Numbers of any size, in files that are otherwise right, end in a film or in an error.
@Suite(.timeLimit(.minutes(2)))
struct ExtremeNumberTests {
  /// Makes the layout of an index, and each slot, as far as they can be made.
  private func look(at index: StrandIndex, _ bytes: [UInt8]) {
    guard let layout = try? Assembly.layout([index]) else { return }
    _ = (layout.firstStamp, layout.duration, layout.length)
    for slot in layout.fragments.indices {
      let fragment = layout.fragments[slot].bytes
      guard layout.fragments[slot].slot < 1 << 20, fragment.upperBound <= bytes.count else {
        continue
      }
      var asked = 0
      _ = try? Assembly.pieces(layout, slot: slot, bytes[fragment], asked: &asked)
    }
  }

  // MARK: MP4

  private static func movie(_ numbers: inout ExtremeNumbers) -> [UInt8] {
    var track = TestBoxes.Track()
    track.timescale = numbers.number(1000, 4)
    track.defaults = TestBoxes.SampleDefaultsShape(
      duration: numbers.number(40, 4), size: numbers.number(10, 4), flags: 0)
    if numbers.random.chance(50) {
      track.edits = [(numbers.number(0), -1), (numbers.number(0), numbers.signed(0))]
      track.hasLongEdits = true
    }
    let fragments = (0..<3).map { number in
      let samples = (0..<2).map {
        place -> (size: Int, duration: Int, flags: Int, composition: Int) in
        let isKey = place == 0 && numbers.random.chance(60)
        return (
          numbers.number(10, 1), numbers.number(40, 4), isKey ? 0x200_0000 : 0x101_0000,
          numbers.number(0, 4)
        )
      }
      var run = TestBoxes.Run(samples: samples)
      run.hasSizes = numbers.random.chance(80)
      return TestBoxes.fragment(time: numbers.number(number * 80), run)
    }
    var index: [UInt8] = []
    if numbers.random.chance(50) {
      index = TestBoxes.sidx(
        timescale: numbers.number(1000, 4), earliest: numbers.number(0),
        gap: numbers.number(0),
        fragments.map { (numbers.number($0.count, 4) & 0x7FFF_FFFF, numbers.number(80, 4), false) })
    }
    return TestBoxes.brand + TestBoxes.moov([track]) + index + fragments.joined()
  }

  @Test(arguments: 0..<4) func whateverTheNumbersOfAMovieAreNothingTraps(seed: UInt64) {
    var numbers = ExtremeNumbers(seed: seed)
    for _ in 0..<300 {
      let bytes = Self.movie(&numbers)
      if let index = try? Assembly.index(of: bytes).index { look(at: index, bytes) }
      _ = FragmentedHead.isThere(in: bytes)
    }
  }

  /// The one fragment begins long before 0, and the other one long after it.
  @Test func fragmentsOfDifferentErasAreRefused() {
    var track = TestBoxes.Track()
    track.timescale = 1
    track.edits = [(0, 9_000_000_000)]
    track.hasLongEdits = true
    let key = TestBoxes.Run(samples: [(10, 1, 0x200_0000, 0)])
    let other = TestBoxes.Run(samples: [(10, 1, 0x101_0000, 0)])
    let film =
      TestBoxes.brand + TestBoxes.moov([track]) + TestBoxes.fragment(time: 0, key)
      + TestBoxes.fragment(time: 18_000_000_000, other)
    #expect(throws: StreamError.tooLarge("time")) { try Assembly.index(of: film) }
  }

  /// Other tracks may tell of any number of samples that have no bytes.
  @Test func samplesOfOtherTracksCountToo() throws {
    let runs = (0..<2).flatMap { _ in TestBoxes.full("trun", 0, 0, TestBoxes.words(60_000)) }
    let moof = TestBoxes.box(
      "traf", TestBoxes.full("tfhd", 0, 0x2_0000, TestBoxes.words(9)), runs)
    var movie = MovieFragment(defaults: [1: SampleDefaults()], origin: 0, size: 1000)
    #expect(throws: StreamError.tooLarge("samples")) { try movie.read(moof[...], at: 0) }
  }

  // MARK: WebM

  @Test(arguments: 0..<4) func whateverTheNumbersOfAWebMFileAreNothingTraps(seed: UInt64) {
    var numbers = ExtremeNumbers(seed: seed)
    let durations = [400, 0, -1, .nan, .infinity, 1e300, 9e12, 1e13, 3.1e13, 3.3e13, 1e-300]
    for _ in 0..<300 {
      let bytes = TestWebM.film(
        hasCuesInFront: numbers.random.chance(50),
        duration: numbers.one(of: durations),
        times: [numbers.number(0), numbers.number(200)],
        cueTimes: [numbers.number(0), numbers.number(200)], delay: numbers.number(0))
      if let index = try? Assembly.index(of: bytes).index { look(at: index, bytes) }
    }
  }

  @Test func aDurationOfThousandsOfYearsIsNone() throws {
    for duration in [9.3e12, 3.1e13, 1e300] {
      let index = try Assembly.index(of: TestWebM.film(duration: duration)).index
      #expect(index.end == 200_000_000)
    }
    #expect(
      try Assembly.index(of: TestWebM.film(duration: 3e12)).index.end == 3_000_000_000_000_000_000)
  }

  @Test(arguments: [[0, Int.max], [Int.max, 200], [1 << 42, 200]])
  func aCueOfThousandsOfYearsIsRefused(times: [Int]) {
    #expect(throws: StreamError.tooLarge("time")) {
      try Assembly.index(of: TestWebM.film(cueTimes: times))
    }
  }

  // MARK: Layouts

  @Test(arguments: 0..<4) func whateverTheTimesOfAStrandAreNothingTraps(seed: UInt64) throws {
    var numbers = ExtremeNumbers(seed: seed)
    let plain = try Assembly.index(of: TestBoxes.film()).index
    for _ in 0..<300 {
      var strands = [plain, plain]
      strands[1].tracks[0].description.kind = .audio(rate: 48_000, channels: 2)
      for strand in strands.indices {
        for place in strands[strand].fragments.indices {
          let old = strands[strand].fragments[place]
          strands[strand].fragments[place].start = numbers.signed(old.start)
          strands[strand].fragments[place].duration = numbers.signed(old.duration)
          strands[strand].fragments[place].isGap = numbers.random.chance(10)
        }
        strands[strand].tracks[0].earliest = numbers.signed(0)
        strands[strand].tracks[0].shift = numbers.signed(0)
        strands[strand].tracks[0].sampleDuration = numbers.signed(40_000_000)
        strands[strand].end = numbers.signed(400_000_000)
        strands[strand].sections = [numbers.signed(0)]
        strands[strand].format = numbers.one(of: [.movie, .webm, .samples])
      }
      let chapters = [StreamChapter(start: numbers.signed(0), title: "One")]
      _ = try? Assembly.layout(strands, chapters: chapters)
    }
  }

  @Test func aTrackThatASectionMovesBeyondAllTimesIsRefused() throws {
    var track = TestBoxes.Track()
    track.timescale = 1
    let moov = try #require(try Box.all(in: TestBoxes.moov([track])[...]).first)
    let late = FragmentSample(
      track: 1, bytes: 0..<1, time: 9_000_000_000, composition: 0, duration: 1, isKey: true,
      isDiscardable: false)
    var strand = MovieStrand(head: try MovieHead(moov), initialisation: [], first: [late])
    #expect(throws: StreamError.tooLarge("time")) { try strand.move(by: .max / 2) }
  }

  @Test func aGapWithoutEndIsRefused() throws {
    var picture = try Assembly.index(of: TestBoxes.film()).index
    picture.fragments[1].start = MediaTime.second
    var sound = picture
    sound.tracks[0].description.kind = .audio(rate: 48_000, channels: 2)
    (sound.fragments[0].start, sound.fragments[0].duration) = (1, .max)
    sound.fragments[0].isGap = true
    #expect(throws: StreamError.tooLarge("time")) { try Assembly.layout([picture, sound]) }
  }

  @Test func soundAtTheEndOfAllTimesIsRefused() throws {
    var picture = try Assembly.index(of: TestBoxes.film()).index
    var early = picture
    var sound = picture
    sound.tracks[0].description.kind = .audio(rate: 48_000, channels: 2)
    picture.fragments[1].start = .max - 5
    sound.fragments[1].start = .max - 600_000_000
    #expect(throws: StreamError.tooLarge("time")) { try Assembly.layout([picture, sound]) }
    early.tracks[0].earliest = .min + 5
    #expect(throws: StreamError.tooLarge("time")) { try Assembly.layout([early]) }
  }
}
