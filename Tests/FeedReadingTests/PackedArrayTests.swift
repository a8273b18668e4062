import Testing

@testable import FeedReading

/// Packed values are unpacked unchanged.
@Suite(.timeLimit(.minutes(1))) struct PackedArrayTests {
  private struct Values: Packable, Equatable {
    var numbers: [Int]
    var fraction: Double?
    var text: String?

    init(_ numbers: [Int], _ fraction: Double?, _ text: String?) {
      (self.numbers, self.fraction, self.text) = (numbers, fraction, text)
    }

    init(from packed: inout Unpacker) {
      numbers = (0..<3).map { _ in packed.int() }
      fraction = packed.double()
      text = packed.optionalText()
    }

    func pack(into packer: inout Packer) {
      for number in numbers { packer.put(number) }
      packer.put(fraction)
      packer.put(text)
    }
  }

  @Test func numbersAndTextsAreTheSameAgain() {
    let all = [
      Values([0, -1, 1], nil, nil), Values([.min, .max, 63], -0.0, ""),
      Values([64, -65, 1 << 40], .infinity, "e\u{301}\u{0}\u{1F980}"),
      Values([8191, 8192, -8193], .leastNonzeroMagnitude, String(repeating: "x", count: 20_000)),
    ]

    let packed = PackedArray(all)

    #expect(Array(packed) == all)
    #expect(packed[1].fraction?.sign == .minus)
  }

  @Test func anEntryIsTheSameAgain() throws {
    let entry = try item(
      """
      <guid>a</guid><title>A</title><pubDate>Fri, 01 May 2026 10:00:00 GMT</pubDate>
      <enclosure url="http://x/a.mp4" type="video/mp4" length="5000"/>
      <itunes:duration>61</itunes:duration><itunes:season>1</itunes:season>
      <podcast:chapters url="http://x/c.json" type="application/json+chapters"/>
      <psc:chapters><psc:chapter start="00:00:01.5" title="One"/></psc:chapters>
      <podcast:transcript url="http://x/a.vtt" type="text/vtt" language="en"/>
      """)
    #expect(entry.duration == 61 && entry.subtitles.count == 1 && entry.chapterMarks.count == 1)
    var skipped = entry
    skipped.media = nil
    skipped.skipped = "no video"

    #expect(Array(PackedArray([entry, skipped])) == [entry, skipped])
  }

  @Test func aCopyIsNotChangedWithTheOther() {
    let first = PackedArray(["a", "b"].map { Entry(id: $0, idSource: .guid) })
    var second = first
    second[0].title = "another"

    #expect(first[0].title != "another" && second[0].title == "another")
    #expect(second[1] == first[1])
  }
}
