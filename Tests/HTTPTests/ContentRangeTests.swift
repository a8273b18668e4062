import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(1)))
struct ContentRangeTests {
  @Test(arguments: [
    ("bytes 0-0/1", 0..<1, 1),
    ("bytes 0-99/1000", 0..<100, 1000),
    ("BYTES 900-999/1000", 900..<1000, 1000),
    ("bytes  007-008/0009", 7..<9, 9), ("bytes=0-99/1000", 0..<100, 1000),
    ("bytes: 0-99/1000", 0..<100, 1000), ("0-99/1000", 0..<100, 1000),
    ("bytes 0 - 5 / 1000", 0..<6, 1000), ("Bytes = 0-5 /1000", 0..<6, 1000),
    ("bytes 0-9223372036854775806/9223372036854775807", 0..<Int.max, Int.max),
  ])
  func aPartIsRead(text: String, bytes: Range<Int>, length: Int) {
    #expect(ContentRange(parsing: text) == .bytes(bytes, length: length))
  }

  @Test(arguments: [("bytes 0-99/*", 0..<100), ("bytes 7-7/*", 7..<8)])
  func aPartMayKeepTheLengthToItself(text: String, bytes: Range<Int>) {
    #expect(ContentRange(parsing: text) == .open(bytes))
  }

  @Test func anUnsatisfiedRangeGivesTheLength() {
    #expect(ContentRange(parsing: "bytes */1000") == .unsatisfied(length: 1000))
  }

  @Test(arguments: [
    "", "bytes", "bytes ", "bytes 0-99", "bytes 0 1-99/1000", "bytes==0-99/1000",
    "items 0-99/1000", "items=0-99/1000", ":: 0-99/1000", "bytes bytes 0-99/1000",
    "bytes 99-0/*", "bytes */*", "bytes 0-9223372036854775807/*", "bytes -99/1000", "bytes 0-/1000",
    "bytes 99-0/1000",
    "bytes 0-1000/1000", "bytes 0-0/0", "bytes -1-5/1000", "bytes +0-5/1000", "bytes 0-5/-1000",
    "bytes 0-5/+1000", "bytes 0 - 5 5/1000", "bytes 0-5/1 000", "bytes 0-5/1000 x",
    "bytes 0-5/10/00",
    "bytes 0x0-0x5/1000", "bytes 0-5-7/1000", "bytes 0-5/1e3", "bytes ٠-٥/1000",
    "bytes 0-9223372036854775807/9223372036854775808",
    "bytes 0-9223372036854775807/9223372036854775807",
    "bytes 18446744073709551616-18446744073709551617/18446744073709551618",
  ])
  func whatIsNotToBeTrustedIsNotRead(text: String) {
    #expect(ContentRange(parsing: text) == nil)
  }
}
