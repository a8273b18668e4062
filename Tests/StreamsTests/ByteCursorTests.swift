import Testing

@testable import Streams

/// Numbers are read from bytes, and never beyond their end.
struct ByteCursorTests {
  @Test func numbersAreBigEndian() throws {
    var cursor = ByteCursor([1, 2, 3, 4, 5, 6, 7, 8, 9][...], of: "test")
    #expect(try cursor.number(UInt8.self) == 1)
    #expect(try cursor.number(UInt64.self) == 0x0203_0405_0607_0809)
    #expect(cursor.isAtEnd)
  }

  @Test(arguments: [-1, 3, Int.max])
  func nothingIsReadBeyondTheEnd(count: Int) {
    var cursor = ByteCursor([1, 2][...], of: "test")
    #expect(throws: StreamError.truncated("test")) { try cursor.take(count) }
    #expect(throws: StreamError.truncated("test")) { try cursor.number(UInt32.self) }
    #expect(cursor.rest == [1, 2])
  }
}
