import Filling
import SystemPackage
import TestSupport
import Testing

@testable import FeedMount
@testable import Storage

/// The lines to a feed's origins, over several mounts.
@Suite(.timeLimit(.minutes(1)))
struct KnownLinesTests {
  private let disk = SimulatedDisk(seed: 1)

  private func file() -> SnapshotFile {
    SnapshotFile(in: "/state", name: "lines", on: disk.disk(flushingBy: ManualTime()))
  }

  private func known() -> KnownLines {
    KnownLines(in: "/state", on: disk.disk(flushingBy: ManualTime()))
  }

  private func line(_ milliseconds: Int, _ rate: Int) -> KnownLine {
    KnownLine(latency: .milliseconds(milliseconds), rate: rate)
  }

  @Test func theNextMountKnowsTheLineToEachOrigin() {
    let lines = known()
    #expect(lines.line(to: "http://one/a.mp4") == nil)
    lines.note(line(50, 20_000_000), to: "http://one/a.mp4")
    lines.note(line(300, 1_000_000), to: "https://two:8443/b.mp4")
    lines.note(nil, to: "http://three/c.mp4")

    for lines in [lines, known()] {
      #expect(lines.line(to: "http://ONE:80/other.mp4") == line(50, 20_000_000))
      #expect(lines.line(to: "https://two:8443/c.mp4") == line(300, 1_000_000))
      #expect(lines.line(to: "https://two/c.mp4") == nil)
      #expect(lines.line(to: "http://three/c.mp4") == nil)
    }
  }

  @Test(arguments: [
    (line: (50, 22_000_000), isNews: false), ((50, 26_000_000), true), ((50, 10_000_000), true),
    ((55, 20_000_000), false), ((100, 20_000_000), true),
  ])
  func onlyNewsIsWritten(line next: (Int, Int), isNews: Bool) throws {
    let lines = known()
    lines.note(line(50, 20_000_000), to: "http://one/a.mp4")
    lines.note(line(next.0, next.1), to: "http://one/a.mp4")

    let expected = isNews ? line(next.0, next.1) : line(50, 20_000_000)
    #expect(known().line(to: "http://one/a.mp4") == expected)
  }

  @Test func itIsRememberedWhereMoreLanesDidNotHelp() {
    let narrow = KnownLine(latency: .milliseconds(300), rate: 1_000_000, isNarrow: true)
    let lines = known()
    lines.note(line(300, 1_000_000), to: "http://one/a.mp4")
    lines.note(narrow, to: "http://one/a.mp4")
    lines.note(line(50, 20_000_000), to: "http://two/a.mp4")
    #expect(known().line(to: "http://one/b.mp4") == narrow)
    #expect(known().line(to: "http://two/b.mp4") == line(50, 20_000_000))

    lines.note(line(300, 1_000_000), to: "http://one/a.mp4")
    #expect(known().line(to: "http://one/b.mp4") == line(300, 1_000_000))
  }

  @Test func theNextMountKnowsWhereTheFilmsHaveTheirIndex() throws {
    let lines = known()
    for film in 1...2 { lines.note(.atEnd(100_000), of: UInt64(film)) }
    #expect(lines.tail == 192 << 10)
    lines.note(nil, to: "http://one/a.mp4")
    #expect(known().tail == lines.tail)
    lines.note(line(50, 20_000_000), to: "http://one/a.mp4")
    #expect(known().line(to: "http://one/a.mp4") == line(50, 20_000_000))
    #expect(known().tail == lines.tail)

    // An earlier version reads rows of three words only.
    let text = try file().read { String(decoding: $0, as: UTF8.self) } ?? ""
    #expect(text.split(separator: "\n").last == "tail 100000")
    lines.note(.elsewhere, of: 3)
    lines.note(nil, to: "http://one/a.mp4")
    #expect(known().tail == nil)
    #expect(known().line(to: "http://one/a.mp4") == line(50, 20_000_000))
  }

  @Test func anOriginThatRefusesTheEndIsForgottenByTheNextMount() {
    let lines = known()
    for film in 1...2 { lines.note(.atEnd(100_000), of: UInt64(film)) }
    lines.refusedTail()
    lines.note(line(50, 20_000_000), to: "http://one/a.mp4")
    #expect(lines.tail == nil && known().tail == nil)
  }

  @Test func theThirtyTwoNewestAreKept() {
    let lines = known()
    for number in 0..<40 { lines.note(line(number + 1, 1_000_000), to: "http://o\(number)/") }

    let again = known()
    #expect((0..<40).filter { again.line(to: "http://o\($0)/") != nil } == Array(8..<40))
  }

  @Test(arguments: [
    "", "feedfs lines 0\n50 1000000 http://one:80\n", "50 1000000 http://one:80\n",
    "feedfs lines 1\n0 1000000 http://one:80\n-1 1000000 http://one:80\n50 0 http://one:80\n"
      + "50 x http://one:80\n50 1000000\n99999999999999999999 1 http://one:80\n\0\n",
    "feedfs lines 1\ntail 0\ntail\ntail -1\n", "tail 1000\n", "feedfs lines 1\ntail 99999999\n",
  ])
  func whatCannotBeReadIsLeftOut(text: String) throws {
    try file().write(Array(text.utf8))
    let lines = known()
    #expect(lines.line(to: "http://one/") == nil && lines.tail == nil)

    lines.note(line(50, 20_000_000), to: "http://one/")
    #expect(known().line(to: "http://one/") == line(50, 20_000_000))
  }

  @Test func thoseOfALaterFeedfsStayAsTheyAre() throws {
    let later = Array("feedfs lines 2\n50 1000000 http://one:80\n".utf8)
    try file().write(later)
    let lines = known()
    lines.note(line(50, 20_000_000), to: "http://one/")
    #expect(lines.line(to: "http://one/") == line(50, 20_000_000))
    #expect(try file().read { $0 } == later)
  }
}
