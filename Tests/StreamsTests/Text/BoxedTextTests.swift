import TestSupport
import Testing

@testable import Streams

/// WebVTT in the boxes of MP4 becomes one file of text.
struct BoxedTextTests {
  /// The head of a file of subtitles.
  static func head(_ kind: String = "wvtt") -> [UInt8] {
    var track = TestBoxes.Track()
    track.handler = "text"
    track.entry = TestBoxes.box(
      kind, [0, 0, 0, 0, 0, 0, 0, 1], TestBoxes.box("vttC", Array("WEBVTT".utf8)))
    return TestBoxes.brand + TestBoxes.moov([track])
  }

  /// A segment whose samples have these words; none is a time without words.
  static func segment(_ time: Int, _ samples: [(milliseconds: Int, words: String?)]) -> [UInt8] {
    let bodies = samples.map { sample in
      guard let words = sample.words else { return TestBoxes.box("vtte") }
      return TestBoxes.box(
        "vttc", TestBoxes.box("sttg", Array("line:0".utf8)),
        TestBoxes.box("payl", Array(words.utf8)))
    }
    let run = TestBoxes.Run(
      samples: zip(samples, bodies).map { ($1.count, $0.milliseconds, 0, 0) })
    let fragment = TestBoxes.fragment(time: time, run)
    return Array(fragment.dropLast(bodies.reduce(0) { $0 + $1.count })) + bodies.joined()
  }

  private func document(_ segments: [[UInt8]], zero: Int? = nil) throws -> String {
    let boxed = try BoxedText(Self.head())
    var merge = CueMerge(zero: zero)
    for segment in segments { try merge.add(segment, by: boxed) }
    return merge.document
  }

  @Test func cuesOfAllSegmentsAreInOneFile() throws {
    let text = try document([
      Self.segment(0, [(1000, nil), (1500, "One\nline"), (500, "Two")]),
      Self.segment(3000, [(700, "Two"), (300, nil)]),
    ])
    // A cue that was cut where segments meet is whole again.
    #expect(
      text == """
        WEBVTT

        00:00:01.000 --> 00:00:02.500 line:0
        One
        line

        00:00:02.500 --> 00:00:03.700 line:0
        Two


        """)
  }

  @Test func timesCountFromTheFilm() throws {
    let text = try document([Self.segment(10_000, [(1000, "Late")])], zero: 9 * TimeStamp.scale)
    #expect(text.contains("00:00:01.000 --> 00:00:02.000"))
  }

  @Test func wordsThatWouldEndACueAreLeftOut() throws {
    let text = try document([Self.segment(0, [(1000, "One\n\n00:01.000 --> 00:02.000\nTwo")])])
    #expect(text.ranges(of: "-->").count == 1 && text.contains("One\nTwo"))
  }

  @Test func anotherKindIsNamed() {
    #expect(throws: StreamError.unsupported("the subtitles are neither WebVTT nor TTML: tx3g")) {
      try BoxedText(Self.head("tx3g"))
    }
    #expect(throws: StreamError.malformed("subtitles without their head")) {
      try BoxedText([])
    }
  }

  @Test func damagedSegmentsAreErrorsAndNoMore() throws {
    let boxed = try BoxedText(Self.head())
    let whole = Self.segment(0, [(1000, "One"), (1000, nil), (2000, "Two")])
    var random = SeededRandom(seed: 18)
    for _ in 0..<2000 {
      var bytes = Array(whole.prefix(1 + random.below(whole.count)))
      bytes[random.below(bytes.count)] = UInt8(random.below(256))
      var merge = CueMerge(zero: nil)
      try? merge.add(bytes, by: boxed)
    }
  }

  // MARK: Manifests

  private static let manifest = """
    <MPD type="static" mediaPresentationDuration="PT8S"><Period>
    <AdaptationSet contentType="video" mimeType="video/mp4"><Representation id="v" codecs="avc1.42c00d"
      width="320" height="180" bandwidth="9"><BaseURL>v.mp4</BaseURL></Representation></AdaptationSet>
    <AdaptationSet contentType="text" lang="de" mimeType="text/vtt"><Representation id="t">
      <BaseURL>de.vtt</BaseURL></Representation></AdaptationSet>
    <AdaptationSet contentType="text" lang="en" mimeType="application/mp4" codecs="wvtt">
      <SegmentTemplate media="en-$Number$.m4s" initialization="en.mp4" duration="4" timescale="1"/>
      <Representation id="e" bandwidth="1"/></AdaptationSet>
    <AdaptationSet contentType="text" lang="fr" mimeType="application/mp4" codecs="stpp.ttml.im1i">
      <SegmentTemplate media="fr-$Number$.m4s" initialization="fr.mp4" duration="4" timescale="1"/>
      <Representation id="f" bandwidth="1"/></AdaptationSet></Period></MPD>
    """

  @Test func theTextsOfAManifestAreFilesOrAreNamed() throws {
    let manifest = try Manifest(Array(Self.manifest.utf8), at: "http://h/m.mpd?token=1#x")
    let source = try manifest.source(StreamWishes())
    #expect(source.texts.map(\.language) == ["de", "en", "fr"])
    #expect(source.texts[0].place == .file("http://h/de.vtt"))
    guard case .manifest("http://h/m.mpd?token=1#set-2", let track) = source.texts[1].place else {
      Issue.record("\(source.texts[1].place)")
      return
    }
    #expect(track.addresses.contains("http://h/en.mp4") && track.segments.count == 2)
    #expect(try manifest.text(named: "set-2") == track)
    #expect(try manifest.text(named: "set-9") == nil)
    #expect(source.texts.map { $0.obstacle } == [nil, nil, "stpp.ttml.im1i"])
    #expect(source.reason.hasSuffix("without subtitles in stpp.ttml.im1i"), "\(source.reason)")
  }
}
