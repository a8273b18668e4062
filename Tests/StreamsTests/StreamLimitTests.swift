import Foundation
import TestSupport
import Testing

@testable import Streams

/// The numbers of docs/limits.md are those of the program.
struct StreamLimitTests {
  private static let rows: [[Substring]] = {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let text = try? String(contentsOf: root.appending(path: "docs/limits.md"), encoding: .utf8)
    return (text ?? "").split(separator: "\n").filter { $0.hasPrefix("| `") }.map { row in
      row.split(separator: "|").map { $0.drop { $0 == " " } }
    }
  }()

  @Test(arguments: StreamLimit.allCases)
  func aLimitStandsOnThePage(limit: StreamLimit) throws {
    let rows = Self.rows.filter { $0[0].hasPrefix("`\(limit.rawValue)` ") }
    try #require(rows.count == 1, "\(limit)")
    let numbers = WrittenNumber.all(in: String(rows[0][1]))
    let number = try #require(numbers.first)
    #expect(numbers.count == 1)
    #expect(Int(number.number * (number.unit?.size ?? 1)) == limit.value, "\(limit)")
  }

  @Test func noOtherNumberStandsThere() {
    #expect(Self.rows.count == StreamLimit.allCases.count)
    #expect(Self.rows.allSatisfy { $0.count == 3 })
  }

  @Test(arguments: StreamLimit.allCases)
  func aLimitIsReachedAndNotExceeded(limit: StreamLimit) {
    #expect(throws: Never.self) { try limit.check(limit.value) }
    #expect(throws: StreamError.tooLarge(limit.rawValue)) { try limit.check(limit.value + 1) }
    #expect(throws: StreamError.tooLarge(limit.rawValue)) { try limit.check(-1) }
  }
}
