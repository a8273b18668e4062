import Catalog
import Testing

@Suite(.timeLimit(.minutes(1))) struct FileNameTests {
  @Test(
    arguments: [
      (1, "mp4", "0001.mp4"), (42, "webm", "0042.webm"), (9999, "ts", "9999.ts"),
      (10_000, "mp4", "10000.mp4"), (7, "MP4", "0007.mp4"),
    ])
  func aNameIsTheNumberAndTheExtension(number: Int, fileExtension: String, name: String) {
    #expect(FileName.name(number: number, fileExtension: fileExtension) == name)
  }

  @Test(arguments: [
    "", ".", "mp4/..", "../x", "a b", "m\u{0}4", "m\n4", "mp4.", "é", "123456789", "m\u{301}",
  ])
  func whatIsNoPlainExtensionBecomesBin(fileExtension: String) {
    #expect(FileName.name(number: 3, fileExtension: fileExtension) == "0003.bin")
  }
}
