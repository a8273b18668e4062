import Markup
import Testing

@testable import Streams

/// TTML becomes cues of WebVTT.
struct TimedTextTests {
  private func cues(
    _ body: String, _ parameters: String = "", head: String = ""
  ) throws -> [String] {
    let text = "<tt \(parameters)><head>\(head)</head><body>\(body)</body></tt>"
    return try TimedText(XMLElement.root(of: Array(text.utf8), keepsText: true)).cues.map {
      "\($0.start)-\($0.end) \($0.words)"
    }
  }

  @Test(
    arguments: [
      ("00:00:01.5", 1500), ("00:00:01.0416", 1042), ("01:02:03", 3_723_000), ("00:00:02:15", 2600),
      ("00:00:02:15.1", 2620), ("7.5s", 7500), ("90f", 3600), ("1500ms", 1500), ("0.5m", 30_000),
      ("1h", 3_600_000), ("20000000t", 2000),
    ])
  func timesAreReadInEachForm(text: String, milliseconds: Int) throws {
    let rates = #"ttp:frameRate="25" ttp:subFrameRate="2" ttp:tickRate="10000000""#
    #expect(
      try cues("<div><p begin=\"\(text)\" dur=\"1s\">a</p></div>", rates)
        == ["\(milliseconds)-\(milliseconds + 1000) a"])
  }

  @Test func aRateMayHaveAFactor() throws {
    let rates = #"ttp:frameRate="30" ttp:frameRateMultiplier="1000 1001""#
    #expect(
      try cues(#"<div><p begin="30f" end="60f">a</p></div>"#, rates) == ["1001-2002 a"])
    // Without a rate of ticks, one is a frame.
    #expect(try cues(#"<div><p begin="30t" end="60t">a</p></div>"#, rates) == ["1000-2000 a"])
    #expect(try cues(#"<div><p begin="3t" end="4t">a</p></div>"#) == ["3000-4000 a"])
    #expect(throws: StreamError.malformed("framerate in subtitles")) {
      try cues("", #"ttp:frameRate="0""#)
    }
  }

  @Test(arguments: [
    "x", "1", "-1s", "1:2", "00:61:00", "00:00:00:00:00", "1e9s", "999999999h", ".",
  ])
  func whatHasNoTimeIsLeftOut(text: String) throws {
    #expect(
      try cues("<div><p begin=\"\(text)\" end=\"9s\">a</p><p begin=\"1s\" end=\"2s\">b</p></div>")
        == ["1000-2000 b"])
  }

  @Test func timesCountFromTheElementAround() throws {
    let body =
      #"<div begin="10s" end="20s"><p begin="1s" end="3s">a</p><p begin="9s" end="12s">b</p></div>"#
    #expect(try cues(body) == ["11000-13000 a", "19000-20000 b"])
    let row = #"<div timeContainer="seq"><p dur="1s">a</p><p begin="1s" dur="2s">b</p></div>"#
    #expect(try cues(row) == ["0-1000 a", "2000-4000 b"])
  }

  @Test func wordsThatComeOneByOneAreCuesOfTheirOwn() throws {
    let body =
      #"<div><p end="4s">One<span begin="1s"> two</span><span begin="2s" end="3s"> three</span></p></div>"#
    #expect(
      try cues(body) == [
        "0-1000 One", "1000-2000 One two", "2000-3000 One two three", "3000-4000 One two",
      ])
  }

  @Test func linesAndSpacesAreThoseThatAreSeen() throws {
    let body = "<div><p end=\"1s\">\n  One\n  two <br/>\n three<br/><br/> </p></div>"
    #expect(try cues(body) == ["0-1000 One two\nthree"])
    let kept = "<div xml:space=\"preserve\"><p end=\"1s\">One  two\nthree</p></div>"
    #expect(try cues(kept) == ["0-1000 One  two\nthree"])
  }

  @Test func boldAndItalicWordsStaySo() throws {
    let head = """
      <styling><style xml:id="loud" style="base" tts:fontWeight="bold"/><style xml:id="base"
      tts:fontStyle="italic"/></styling><layout><region xml:id="r" tts:fontWeight="bold"/></layout>
      """
    let body = """
      <div region="r"><p end="1s">a <span style="loud">b<br/>c</span> d</p><p end="1s"
      tts:textDecoration="underline">e <span tts:textDecoration="none">f</span></p></div>
      """
    #expect(
      try cues(body, head: head)
        == ["0-1000 a <b><i>b</i></b>\n<b><i>c</i></b> d", "0-1000 <u>e</u> f"])
  }

  @Test func noWordEndsACueOrBecomesATag() throws {
    #expect(
      try cues("<div><p end=\"1s\">a &lt;b> --> &amp; c</p></div>")
        == ["0-1000 a &lt;b&gt; --&gt; &amp; c"])
  }

  // MARK: In boxes

  private func document(_ samples: [(milliseconds: Int, text: String)]) throws -> String {
    let bodies = samples.map { Array("<tt><body><div>\($0.text)</div></body></tt>".utf8) }
    let run = TestBoxes.Run(
      samples: zip(samples, bodies).map { ($1.count, $0.milliseconds, 0, 0) })
    let fragment = TestBoxes.fragment(time: 10_000, run)
    let segment = Array(fragment.dropLast(bodies.reduce(0) { $0 + $1.count })) + bodies.joined()
    let boxed = try BoxedText(BoxedTextTests.head("stpp"))
    var merge = CueMerge()
    try merge.add(segment, by: boxed)
    return merge.document
  }

  @Test func aCueThatSpansSamplesIsOne() throws {
    let cue = #"<p begin="11s" end="13s">a</p>"#
    let text = try document([(2000, cue + #"<p begin="1s" end="2s">old</p>"#), (2000, cue)])
    #expect(text == "WEBVTT\n\n00:00:11.000 --> 00:00:13.000\na\n\n")
  }

  @Test func timesOfASampleMayCountFromIt() throws {
    let text = try document([
      (2000, #"<p begin="0s" end="1s">a</p>"#), (2000, #"<p begin="1s" end="2s">b</p>"#),
    ])
    #expect(text.contains("00:00:10.000 --> 00:00:11.000\na"))
    #expect(text.contains("00:00:13.000 --> 00:00:14.000\nb"))
  }

  // MARK: Hostile documents

  @Test func muchWorkIsRefused() {
    let spans = (0..<2000).map { #"<span begin="\#($0)ms">x</span>"# }.joined()
    #expect(throws: StreamError.tooLarge("subtitles")) { try cues("<div><p>\(spans)</p></div>") }
    let styles = (0..<40).map { #"<style xml:id="\#($0)" style="\#($0) \#(($0 + 1) % 40)"/>"# }
    #expect(
      throws: Never.self
    ) { try cues("<div/>", head: "<styling>\(styles.joined())</styling>") }
    #expect(throws: StreamError.malformed("no TTML")) {
      try TimedText(XMLElement("mpd"))
    }
  }
}
