import Testing

@testable import Streams

/// The first bytes of a file tell whether it is a fragmented MP4 with a picture.
struct FragmentedHeadTests {
  private static let head = TestBoxes.brand + TestBoxes.moov([TestBoxes.Track()])
  private static let next = TestBoxes.box("moof", [UInt8](repeating: 0, count: 40))

  private static var sound: TestBoxes.Track {
    var track = TestBoxes.Track()
    track.handler = "soun"
    track.entry = TestBoxes.sound("ac-3", TestBoxes.box("dac3", [0x10, 0x3C, 0]))
    return track
  }

  /// The head of a file whose tables of samples lie in front.
  private static var whole: [UInt8] {
    let moov = TestBoxes.box(
      "moov", TestBoxes.full("mvhd", 0, 0, TestBoxes.words(0, 0, 1000, 0, 0)),
      TestBoxes.trak(TestBoxes.Track()))
    return TestBoxes.brand + moov + TestBoxes.box("mdat", [UInt8](repeating: 1, count: 100))
  }

  @Test func aFragmentedFilmIsRecognised() {
    #expect(FragmentedHead.isThere(in: Self.head + Self.next) == true)
    let free = TestBoxes.box("free", [UInt8](repeating: 0, count: 1000))
    let moov = Array(Self.head.dropFirst(TestBoxes.brand.count))
    #expect(FragmentedHead.isThere(in: TestBoxes.brand + free + moov + Self.next) == true)
  }

  @Test func fewerBytesTellNothing() {
    for count in [0, 7, 15, 20, Self.head.count - 1] {
      #expect(FragmentedHead.isThere(in: Array(Self.head.prefix(count))) == nil, "\(count)")
    }
  }

  @Test(
    arguments: [
      ("a whole film", whole),
      ("sound alone", TestBoxes.brand + TestBoxes.moov([sound]) + next),
      (
        "the media first", TestBoxes.brand + TestBoxes.box("mdat", [UInt8](repeating: 1, count: 99))
      ),
      ("a long table", TestBoxes.brand + TestBoxes.number(1 << 20, 4) + Array("moov".utf8) + next),
      ("Matroska", [0x1A, 0x45, 0xDF, 0xA3] + [UInt8](repeating: 0, count: 60)),
      ("MP3", Array("ID3".utf8) + [UInt8](repeating: 0, count: 60)),
      ("a box of no size", TestBoxes.brand + TestBoxes.words(0) + Array("moov".utf8) + next),
      ("a box of a wrong size", TestBoxes.number(3, 4) + Array("ftyp".utf8) + next),
      (
        "many empty boxes",
        TestBoxes.brand + Array([[UInt8]](repeating: TestBoxes.box("free"), count: 9000).joined())
      ),
    ] as [(String, [UInt8])])
  func otherFilesAreNot(name: String, bytes: [UInt8]) {
    #expect(FragmentedHead.isThere(in: bytes) == false, "\(name)")
  }

  /// A fragment of some KiB costs a request as well, so the file itself is read.
  @Test func aWalkOverShortFragmentsIsDear() throws {
    let times = (0..<20).map { $0 * 200 as Int? }
    let bytes = TestBoxes.film(times: times, hasIndex: false)
    var plan = StrandPlan(length: bytes.count)
    var isCheap = true
    // Each answer brings as little as was asked for.
    while case .needs(let range) = try plan.step() {
      isCheap = isCheap && plan.isCheap
      plan.take(
        bytes[range.lowerBound..<min(range.upperBound, range.lowerBound + 400)],
        at: range.lowerBound)
    }
    #expect(!isCheap)
  }
}
