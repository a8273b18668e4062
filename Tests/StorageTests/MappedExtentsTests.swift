import Testing

@testable import Storage

@Suite struct MappedExtentsTests {
  private static let extent = MappedExtents<Int>.extent

  @Test func aSequentialReaderGivesPagesBackEveryEightMebibytes() {
    var extents = MappedExtents<Int>()
    let answers = (0..<128).map { extents.touched($0 << 17..<($0 + 1) << 17, by: 1) }
    #expect(answers.filter { !$0.isEmpty }.count == 2)
    #expect(answers[48] == [1])  // the first byte of the fourth extent
  }

  @Test func otherMemoryTakesRoomFromTheMappedPages() {
    var extents = MappedExtents<Int>()
    let answers = (0..<128).map { extents.touched($0 << 17..<($0 + 1) << 17, by: 1, beside: 2) }
    #expect(answers[16] == [1])  // the first byte of the second extent
    #expect(Set(extents.touched(0..<1, by: 2, beside: 4)) == [1, 2])
  }

  @Test func aSmallReadCountsForTheWholeFolioThatItMaps() {
    var extents = MappedExtents<Int>(most: 4)
    let answers = [9, 3, 7, 5].map {
      extents.touched($0 * Self.extent..<$0 * Self.extent + 1, by: 1)
    }
    #expect(answers == [[], [], [], [1]])
  }

  @Test func allFilesCountTogetherAndAllAreEmptied() {
    var extents = MappedExtents<Int>(most: 3)
    #expect(extents.touched(0..<1, by: 1) == [])
    #expect(extents.touched(0..<1, by: 2) == [])
    #expect(extents.touched(1..<2, by: 1) == [])
    #expect(Set(extents.touched(0..<1, by: 3)) == [1, 2, 3])
    #expect(extents.touched(0..<1, by: 3) == [])
  }

  @Test func whatIsForgottenIsNotEmptied() {
    var extents = MappedExtents<Int>(most: 2)
    #expect(extents.touched(0..<1, by: 1) == [])
    extents.forget(1)
    #expect(extents.touched(0..<1, by: 2) == [2])
  }
}
