import Testing

@testable import CommandTools

struct StyledLineTests {
  @Test func whatStrangersWroteCannotSteerATerminal() {
    let evil = "a\u{1B}[2J\u{9B}31m\nb\u{202E}c"
    let line = StyledLine([.init(evil, .bad)])

    #expect(line.text(coloured: false) == "a[2J31m bc")
    #expect(line.text(coloured: true) == "\u{1B}[31ma[2J31m bc\u{1B}[m")
  }

  @Test(
    arguments: [
      (nil, "one two"), (9, "one two"), (7, "one two"), (5, "one …"), (3, "on…"), (1, "…"), (0, ""),
    ] as [(Int?, String)])
  func aLineIsCutWhereTheTerminalEnds(width: Int?, text: String) {
    let line = StyledLine([.init("one "), .init("two", .good)])

    #expect(line.fitted(to: width, ellipsis: "…").text(coloured: false) == text)
  }

  @Test(
    arguments: [
      (nil, ["one two three"]), (13, ["one two three"]), (12, ["one two", "  three"]),
      (8, ["one two", "  three"]), (7, ["one two", "  three"]),
      (6, ["one", "  two", "  thre", "  e"]),
      (4, ["one two three"]),
    ] as [(Int?, [String])])
  func aLineIsBrokenBetweenWords(width: Int?, lines: [String]) {
    let line = StyledLine([.init("one "), .init("two th", .good), .init("ree")])

    #expect(line.wrapped(to: width, indent: 2).map { $0.text(coloured: false) } == lines)
  }

  /// A sequence of joined emoji is one character, of any width; so is a run of marks.
  @Test(arguments: [9, 10, 11, 80])
  func whatCannotBeBrokenStaysWhole(width: Int) {
    let cluster = "👩" + String(repeating: "\u{200D}👩", count: 60)
    #expect(cluster.count == 1 && ColumnCount.of(cluster) > 80)
    for text in [cluster, "a \(cluster) b", "世界世界世界世界世界世界 \(cluster)"] {
      let lines = StyledLine(text).wrapped(to: width).map { $0.text(coloured: false) }
      #expect(lines.joined().filter { $0 != " " } == text.filter { $0 != " " })
    }
  }

  @Test func wideCharactersAreBrokenWithinTheWidth() {
    let lines = StyledLine("世界世界世界世界世界").wrapped(to: 9).map { $0.text(coloured: false) }

    #expect(lines == ["世界世界", "    世界", "    世界", "    世界"])
    #expect(lines.allSatisfy { ColumnCount.of($0) <= 9 })
  }

  @Test func nothingIsLeftOfSpacesAtTheEnd() {
    let lines = StyledLine("one" + String(repeating: " ", count: 100)).wrapped(to: 20)

    #expect(lines.count == 1)
  }

  @Test func whatIsBrokenKeepsItsColours() {
    let lines = StyledLine([.init("warn  "), .init("one two", .bad)]).wrapped(to: 10, indent: 3)

    #expect(
      lines.map { $0.text(coloured: true) } == [
        "warn  \u{1B}[31mone\u{1B}[m", "   \u{1B}[31mtwo\u{1B}[m",
      ])
  }

  @Test func wideCharactersTakeTwoColumnsAndMarksNone() {
    #expect(ColumnCount.of("世界") == 4)
    #expect(ColumnCount.of("e\u{301}") == 1)
    #expect(ColumnCount.of("🎬") == 2)
    #expect(ColumnCount.of("▕█┃░▏") == 5)
    #expect(ColumnCount.prefix(of: "世界", 3) == "世")
    #expect(ColumnCount.prefix(of: "e\u{301}e", 1) == "e\u{301}")
    #expect(StyledLine("世界").padded(to: 6).text(coloured: false) == "世界  ")
  }

  @Test func spansThatLookAlikeAreColouredTogether() {
    let line = StyledLine([.init("a", .good), .init("", .bad), .init("b", .good), .init("c")])

    #expect(line.text(coloured: true) == "\u{1B}[32ma\u{1B}[m\u{1B}[32mb\u{1B}[mc")
  }
}
