import Testing
import TestSupport

@testable import Streams

/// Segments of subtitles become one file, in which each cue is once.
struct CueMergeTests {
  private func merged(_ segments: [String], zero: Int? = nil) throws(StreamError) -> String {
    var merge = CueMerge(zero: zero)
    for (place, segment) in segments.enumerated() {
      try merge.add(Array(segment.utf8), at: .seconds(place * 6))
    }
    return merge.document
  }

  @Test func aCueInTwoSegmentsIsOnce() throws {
    let text = try merged([
      "WEBVTT\n\n00:01.000 --> 00:02.000\nOne\n\n00:05.000 --> 00:08.000 line:0\nTwo\n",
      "WEBVTT\n\n7\n00:00:05.000 --> 00:00:08.000 line:0\nTwo\n\nNOTE x\n\n00:09.000 --> 00:10.5\nThree\nlines",
    ])
    #expect(
      text == """
        WEBVTT

        00:00:01.000 --> 00:00:02.000
        One

        00:00:05.000 --> 00:00:08.000 line:0
        Two

        00:00:09.000 --> 00:00:10.500
        Three
        lines


        """)
  }

  @Test func aCueThatWasCutIsJoined() throws {
    let text = try merged([
      "WEBVTT\n\n00:05.000 --> 00:06.000\nLong\n", "WEBVTT\n\n00:06.001 --> 00:07.000\nLong\n",
      "WEBVTT\n\n00:20.000 --> 00:21.000\nLong\n",
    ])
    #expect(text.contains("00:00:05.000 --> 00:00:07.000\nLong"))
    #expect(text.contains("00:00:20.000 --> 00:00:21.000\nLong"))
  }

  @Test func theMapOfTimesCounts() throws {
    let map =
      "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:00.000\n\n00:01.000 --> 00:02.000\nA\n"
    // The film's first time stamp is that of the map less 8 s.
    #expect(try merged([map], zero: 180_000).contains("00:00:09.000 --> 00:00:10.000"))
    #expect(try merged([map]).contains("00:00:01.000 --> 00:00:02.000"))
    let other =
      "WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:10.000,MPEGTS:0\n\n00:10.000 --> 00:12.000\nB\n"
    #expect(try merged([other], zero: 0).contains("00:00:00.000 --> 00:00:02.000"))
  }

  @Test func timesBeginAgainAfterThirtyThreeBits() throws {
    let zero = (1 << 33) - 90_000
    let map =
      "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:90000,LOCAL:00:00:00.000\n\n00:01.000 --> 00:02.000\nA\n"
    #expect(try merged([map], zero: zero).contains("00:00:03.000 --> 00:00:04.000"))
  }

  @Test func stylesAreKeptOnce() throws {
    let style =
      "WEBVTT\r\n\r\nSTYLE\r\n::cue { color: red }\r\n\r\n00:01.000 --> 00:02.000\r\nA\r\n"
    let text = try merged([style, style])
    #expect(text.split(separator: "STYLE").count == 2 && !text.contains("\r"))
  }

  @Test(arguments: [
    "", "WEBVTT", "\u{FEFF}WEBVTT - x\n\n", "WEBVTT\n\n00:01.000 --> 00:00.500\nbackwards",
    "WEBVTT\n\n99:99 --> x\nA", "WEBVTT\n\n-->\n\n-->", "WEBVTT\n\n00:01.000 -->",
    "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:-1,LOCAL:x\n",
  ])
  func withoutACueTheFileIsEmpty(segment: String) throws {
    #expect(try merged([segment], zero: 0) == "WEBVTT\n\n")
  }

  @Test func otherFilesAreRefused() {
    #expect(throws: StreamError.self) { try merged(["<html>"]) }
    #expect(throws: StreamError.tooLarge("subtitles")) {
      try merged([String(repeating: "x", count: PlaylistLimits.textSegment + 1)])
    }
  }

  @Test func wordsOfManySegmentsAreBounded() {
    let long = String(repeating: "x", count: 1 << 20)
    let segments = (0..<20).map {
      "WEBVTT\n\n00:0\($0 % 10).00\($0 / 10) --> 01:00.000\n\(long)\($0)"
    }
    #expect(throws: StreamError.tooLarge("subtitles")) { try merged(segments) }
  }

  @Test func bytesThatChangedDoNoHarm() {
    let sample = Array(
      "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:00.000\n\nSTYLE\n::cue{}\n\n1\n00:01.000 --> 00:02.000 a:b\nWörds\n"
        .utf8)
    var random = SeededRandom(seed: 5)
    for end in sample.indices {
      var merge = CueMerge(zero: 5)
      _ = try? merge.add(Array(sample[..<end]))
    }
    for _ in 0..<3000 {
      var bytes = sample
      for _ in 0...random.below(5) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
      var merge = CueMerge(zero: 5)
      _ = try? merge.add(bytes)
      #expect(merge.document.hasPrefix("WEBVTT\n\n"))
    }
  }
}
