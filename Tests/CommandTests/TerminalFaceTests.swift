import Testing

@testable import CommandTools

/// Commands draw what the terminal can show, and no line is longer than it is wide.
struct TerminalFaceTests {
  private func face(
    _ environment: [String: String], columns: Int = 80, plain: Bool = false
  ) -> TerminalFace {
    .terminal(columns: columns, lines: 24, plain: plain, environment)
  }

  @Test(
    arguments: [
      (["LANG": "de_DE.UTF-8"], false), (["LANG": "C.utf8"], false), ([:], true),
      (["LANG": "C"], true), (["LANG": "en_US.ISO-8859-1"], true),
      (["LANG": "C", "LC_CTYPE": "C.UTF-8"], false),
      (["LANG": "C.UTF-8", "LC_ALL": "POSIX"], true),
      (["LANG": "C.UTF-8", "LC_ALL": ""], false),
    ] as [([String: String], Bool)])
  func anotherEncodingGetsASCII(environment: [String: String], isPlain: Bool) {
    #expect(face(environment).isPlain == isPlain)
    #expect(face(environment).hasColour != isPlain)
    #expect(face(environment, plain: true).isPlain)
  }

  @Test func aNarrowTerminalGetsASCII() {
    let environment = ["LANG": "C.UTF-8"]
    #expect(face(environment, columns: 39).isPlain && !face(environment, columns: 40).isPlain)
    // A terminal that does not tell its width is not narrow.
    #expect(!face(environment, columns: 0).isPlain && face(environment, columns: 0).width == nil)
    #expect(!face(["LANG": "C.UTF-8", "NO_COLOR": "1"]).hasColour)
    #expect(!face(["LANG": "C.UTF-8", "TERM": "dumb"]).hasColour)
  }

  @Test(arguments: [nil, 200, 80, 60, 40, 20, 2, 1] as [Int?])
  func aProgressLineIsShorterThanTheTerminal(width: Int?) {
    let facts = ["45 %", "190.2 MiB fetched", "1.3 MiB/s", "2 min 45 s left"]
    for name in ["0003.mkv", "talks/世界世界 0003.mkv", String(repeating: "x", count: 300)] {
      let line = ProgressBar.line(share: 0.45, facts + [name], TerminalFace(width: width))
      #expect(ColumnCount.of(line) < width ?? .max || width == 1, "\(line)")
      guard name == "0003.mkv", width ?? 80 >= 80 else { continue }
      #expect(line.hasPrefix("[###") && line.hasSuffix(name))
      #expect(facts.allSatisfy(line.contains))
    }
  }

  /// On white, yellow is hardly legible, and so is each colour of the terminal's bright half but blue.
  @Test func noStyleIsYellowOrWhite() {
    for style in [StyledLine.Style.usual, .good, .moving, .bad, .faint, .strong] {
      let text = StyledLine([.init("x", style)]).text(coloured: true)
      #expect(!["33m", "37m", "93m", "97m"].contains { text.contains($0) }, "\(style)")
    }
  }
}
