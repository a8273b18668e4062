import TestSupport
import Testing

@testable import Streams

/// Numbers of any size, in manifests and subtitles that are otherwise right, end in a film or in an error.
@Suite(.timeLimit(.minutes(2)))
struct ExtremeDocumentTests {
  private static func manifest(_ numbers: inout ExtremeNumbers) -> String {
    let times = """
      timescale="\(numbers.text(1000, 5))" presentationTimeOffset="\(numbers.text(0, 7))"
      """
    let rows = (0..<2).map { number in
      """
      <S t="\(numbers.text(number * 4000, 7))" d="\(numbers.text(4000, 7))"
      r="\(numbers.random.chance(20) ? "-1" : numbers.text(0, 7))"/>
      """
    }
    let segments: String
    switch numbers.random.below(3) {
    case 0:
      segments = """
        <SegmentTemplate \(times) media="$Number$.m4s" initialization="i.mp4"
        startNumber="\(numbers.text(1, 7))" duration="\(numbers.text(4000, 7))"/>
        """
    case 1:
      segments = """
        <SegmentTemplate \(times) media="$Time$.m4s" initialization="i.mp4">
        <SegmentTimeline>\(rows.joined())</SegmentTimeline></SegmentTemplate>
        """
    default:
      segments = """
        <SegmentList \(times) duration="\(numbers.text(4000, 7))"><Initialization sourceURL="i.mp4"/>
        <SegmentURL media="a" mediaRange="0-\(numbers.text(99, 5))"/><SegmentURL media="b"/>
        <SegmentTimeline>\(rows.joined())</SegmentTimeline></SegmentList>
        """
    }
    return """
      <MPD type="static" mediaPresentationDuration="PT\(numbers.number(8, 2))S">
      <Period start="PT\(numbers.number(0, 2))S"><AdaptationSet contentType="video"
      mimeType="video/mp4" codecs="avc1.64001f"><Representation id="v1"
      bandwidth="\(numbers.text(800))" width="\(numbers.signed(640))" height="\(numbers.signed(360))"
      >\(segments)</Representation></AdaptationSet></Period></MPD>
      """
  }

  /// Makes the films of a list of segments whose first bytes are known.
  private func look(at track: TrackSource, total: Duration?) {
    let film = TestBoxes.film(times: [0, 4000], hasIndex: false)
    let head = Array(film.prefix(TestBoxes.brand.count + TestBoxes.moov([.init()]).count))
    let fragment = Array(film.dropFirst(head.count))
    let facts = track.segments.map { _ in
      SegmentFacts(bytes: 0..<fragment.count, beginning: fragment)
    }
    if let movie = try? SegmentedMovie(track, initialisation: head),
      let index = try? movie.index(facts, keys: 0, total: total)
    {
      _ = try? Assembly.layout([index])
    }
    let webm = TestWebM.parts
    let clusters = track.segments.map { _ in
      SegmentFacts(bytes: 0..<webm.cluster.count, beginning: webm.cluster)
    }
    if let movie = try? SegmentedWebM(track, initialisation: webm.head),
      let index = try? movie.index(clusters, total: total)
    {
      _ = try? Assembly.layout([index])
    }
    let sound = PlainSound(.aac, frames: 3).bytes
    let frames = track.segments.map { _ in SegmentFacts(bytes: 0..<sound.count, beginning: sound) }
    if let samples = try? SegmentedSamples(track, frames),
      let index = try? samples.index(frames, stamps: samples.stamps, keys: 0)
    {
      _ = try? Assembly.layout([index])
    }
    var merge = CueMerge(zero: 90_000)
    let text =
      "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00.000\n\n00:01.000 --> 00:02.000\nA\n"
    for segment in track.segments.prefix(10) { try? merge.add(Array(text.utf8), at: segment.start) }
  }

  @Test(arguments: 0..<4) func whateverTheNumbersOfAManifestAreNothingTraps(seed: UInt64) throws {
    var numbers = ExtremeNumbers(seed: seed)
    for _ in 0..<100 {
      let text = Self.manifest(&numbers)
      guard let manifest = try? Manifest(Array(text.utf8), at: "https://h.org/m.mpd"),
        let source = try? manifest.source(StreamWishes())
      else { continue }
      for track in source.tracks where track.segments.count < 20 {
        look(at: track, total: source.duration)
      }
    }
  }

  /// The clock of a broadcast may count from 1900, and segments begin long before their period.
  @Test(arguments: [0, 3_900_000_000, 1 << 32 + 1, 1 << 58])
  func aClockOfAgesIsRefused(offset: Int) {
    let text = """
      <MPD type="static" mediaPresentationDuration="PT8S"><Period><AdaptationSet contentType="video"
      mimeType="video/mp4" codecs="avc1.64001f"><Representation id="v1" bandwidth="1"><SegmentTemplate
      media="$Time$" presentationTimeOffset="\(offset)"><SegmentTimeline><S t="0" d="4"/>
      </SegmentTimeline></SegmentTemplate></Representation></AdaptationSet></Period></MPD>
      """
    let result = Result { () throws(StreamError) in
      try Manifest(Array(text.utf8), at: "https://h.org/m.mpd").source(StreamWishes())
        .tracks[0].segments[0].start.nanoseconds
    }
    #expect(
      result
        == (offset < 1 << 32
          ? .success(-offset * MediaTime.second) : .failure(.tooLarge("presentationTimeOffset"))))
  }

  // MARK: Texts

  @Test(arguments: 0..<4) func whateverTheTimesOfSubtitlesAreNothingTraps(seed: UInt64) throws {
    var numbers = ExtremeNumbers(seed: seed)
    let boxed = try BoxedText(BoxedTextTests.head())
    for _ in 0..<200 {
      let text = """
        WEBVTT
        X-TIMESTAMP-MAP=MPEGTS:\(numbers.text(900_000)),LOCAL:\(numbers.text(0)):00:00.000

        \(numbers.text(0)):00:01.000 --> \(numbers.text(0)):00:02.000
        A

        """
      var merge = CueMerge(zero: numbers.number(90_000, 6))
      let start = Duration.seconds(numbers.number(6, 4)) - .seconds(numbers.number(0, 4))
      try? merge.add(Array(text.utf8), at: start)
      try? merge.add(
        BoxedTextTests.segment(numbers.number(0), [(numbers.number(9, 4), "A")]), by: boxed)
      let times = ["s", "h", "ms", "f", "t"].map { "\(numbers.text(1))\($0)" }
      let timed = """
        <tt ttp:frameRate="\(numbers.text(25))" ttp:tickRate="\(numbers.text(10))"
        ttp:subFrameRate="\(numbers.text(1))" ttp:frameRateMultiplier="\(numbers.text(1)) \(numbers.text(1))">
        <body begin="\(times[0])"><div end="\(times[1])"><p begin="\(times[2])" dur="\(times[3])">A</p>
        <p begin="\(times[4])">B</p></div></body></tt>
        """
      try? merge.add(timedText: Array(timed.utf8))
      _ = merge.document
    }
  }

  @Test func samplesOfSubtitlesThatShareTheirBytesAreRefused() throws {
    let text = [UInt8](repeating: 0x41, count: 1000)
    let words = TestBoxes.box("vttc", TestBoxes.box("payl", text))
    func run(_ offset: Int) -> [UInt8] {
      TestBoxes.trun(TestBoxes.Run(samples: [(words.count, 1000, 0, 0)]), offset: offset)
    }
    func moof(_ offset: Int) -> [UInt8] {
      TestBoxes.box(
        "moof",
        TestBoxes.box(
          "traf", TestBoxes.full("tfhd", 0, 0x2_0000, TestBoxes.words(1)),
          TestBoxes.full("tfdt", 1, 0, TestBoxes.number(0, 8)),
          Array((0..<50).map { _ in run(offset) }.joined())))
    }
    let segment = moof(moof(0).count + 8) + TestBoxes.box("mdat", words)
    let boxed = try BoxedText(BoxedTextTests.head())
    var merge = CueMerge()
    #expect(throws: StreamError.malformed("subtitles that overlap")) {
      try merge.add(segment, by: boxed)
    }
  }
}
