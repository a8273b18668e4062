import Control
import Testing

@testable import CommandTools

struct CellBarTests {
  private func file(
    _ extents: [Range<Int>], size: Int? = 800, state: FileStatus.State = .partial
  ) -> FileStatus {
    var file = FileStatus(
      name: "0001.mp4", title: "", size: size,
      cached: extents.reduce(0) { $0 + $1.count }, state: state)
    file.extents = extents.map { Extent(from: $0.lowerBound, until: $0.upperBound) }
    return file
  }

  private func text(_ bar: CellBar, plain: Bool = false) -> String {
    StyledLine(bar.spans(TerminalFace(isPlain: plain))).text(coloured: false)
  }

  /// Bars of 800 bytes, in 8 cells of 100.
  @Test(arguments: [
    ([], "▕        ▏", "[........]"),
    ([0..<100], "▕█       ▏", "[#.......]"),
    ([0..<1], "▕▁       ▏", "[+.......]"),
    ([0..<99], "▕▇       ▏", "[+.......]"),
    ([150..<300], "▕ ▄█     ▏", "[.+#.....]"),
    ([700..<725, 750..<775], "▕       ▄▏", "[.......+]"),
    ([0..<800], "▕████████▏", "[########]"),
  ])
  func aCellIsAsHighAsItsShareThatIsCached(
    extents: [Range<Int>], drawn: String, plain: String
  ) {
    let bar = CellBar(of: file(extents), cells: 8)

    #expect(text(bar) == drawn)
    #expect(text(bar, plain: true) == plain)
  }

  @Test func whatIsOnItsWayAndWhereSomebodyReadsIsSeen() {
    var file = file([0..<250])
    file.fetches = [FetchStatus(from: 200, until: 500, position: 250)]
    file.readers = [ReaderStatus(position: 120, ahead: 130, seconds: nil)]
    let bar = CellBar(of: file, cells: 8)

    #expect(text(bar) == "▕█┃▄░░   ▏")
    #expect(text(bar, plain: true) == "[#|>>>...]")
    #expect(bar.cells[2] == CellBar.Cell(eighths: 4, isArriving: true))
  }

  @Test func aCompleteFileIsFullAndOneOfNoLengthEmpty() {
    #expect(text(CellBar(of: file([], state: .complete), cells: 3)) == "▕███▏")
    #expect(text(CellBar(of: file([0..<9], size: nil), cells: 3)) == "▕   ▏")
    #expect(text(CellBar(of: file([], size: 0), cells: 3)) == "▕   ▏")
    #expect(CellBar(of: file([0..<9]), cells: 0).cells.isEmpty)
  }

  /// More cells than bytes, places beyond the end, extents with their ends swapped: from a daemon
  /// of another version, or a hostile one.
  @Test(arguments: [1, 3, 7, 64]) func noStatusIsTooOddToBeDrawn(cells: Int) {
    var file = file([0..<2], size: 5)
    file.extents?.append(Extent(from: 4, until: 2))
    file.extents?.append(Extent(from: -5, until: 900))
    file.fetches = [FetchStatus(from: 3, until: 1, position: 9)]
    file.readers = [
      ReaderStatus(position: 99, ahead: 0, seconds: nil),
      ReaderStatus(position: -1, ahead: 0, seconds: nil),
    ]

    #expect(CellBar(of: file, cells: cells).cells.count == cells)
  }
}
