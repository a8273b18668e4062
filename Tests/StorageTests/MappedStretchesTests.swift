import Testing

@testable import Storage

@Suite struct MappedStretchesTests {
  private static let stretch = MappedStretches<Int>.stretch

  @Test func aSequentialReaderGivesPagesBackEveryEightMebibytes() {
    var stretches = MappedStretches<Int>()
    let answers = (0..<128).map { stretches.touched($0 << 17..<($0 + 1) << 17, by: 1) }
    #expect(answers.filter { !$0.isEmpty }.count == 2)
    #expect(answers[48] == [1])  // the first byte of the fourth stretch
  }

  @Test func otherMemoryTakesRoomFromTheMappedPages() {
    var stretches = MappedStretches<Int>()
    let answers = (0..<128).map { stretches.touched($0 << 17..<($0 + 1) << 17, by: 1, beside: 2) }
    #expect(answers[16] == [1])  // the first byte of the second stretch
    #expect(Set(stretches.touched(0..<1, by: 2, beside: 4)) == [1, 2])
  }

  @Test func aSmallReadCountsForTheWholeFolioThatItMaps() {
    var stretches = MappedStretches<Int>(most: 4)
    let answers = [9, 3, 7, 5].map {
      stretches.touched($0 * Self.stretch..<$0 * Self.stretch + 1, by: 1)
    }
    #expect(answers == [[], [], [], [1]])
  }

  @Test func allFilesCountTogetherAndAllAreEmptied() {
    var stretches = MappedStretches<Int>(most: 3)
    #expect(stretches.touched(0..<1, by: 1) == [])
    #expect(stretches.touched(0..<1, by: 2) == [])
    #expect(stretches.touched(1..<2, by: 1) == [])
    #expect(Set(stretches.touched(0..<1, by: 3)) == [1, 2, 3])
    #expect(stretches.touched(0..<1, by: 3) == [])
  }

  @Test func whatIsForgottenIsNotEmptied() {
    var stretches = MappedStretches<Int>(most: 2)
    #expect(stretches.touched(0..<1, by: 1) == [])
    stretches.forget(1)
    #expect(stretches.touched(0..<1, by: 2) == [2])
  }
}
