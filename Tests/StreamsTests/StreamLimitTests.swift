import Foundation
import TestSupport
import Testing

@testable import Streams

/// The numbers of docs/internals/limits.md are those of the program.
struct StreamLimitTests {
  private static let rows: [[Substring]] = {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let text = try? String(
      contentsOf: root.appending(path: "docs/internals/limits.md"), encoding: .utf8)
    return (text ?? "").split(separator: "\n").filter { $0.hasPrefix("| `") }.map { row in
      row.split(separator: "|").map { $0.drop { $0 == " " } }
    }
  }()

  private static let playlists = [
    ("line", PlaylistLimits.line), ("attributes", PlaylistLimits.attributes),
    ("variables", PlaylistLimits.variables), ("variants", PlaylistLimits.variants),
    ("keys", PlaylistLimits.keys), ("addressBytes", PlaylistLimits.addressBytes),
    ("chapters", PlaylistLimits.chapters), ("elements", PlaylistLimits.elements),
    ("manifestDepth", PlaylistLimits.depth), ("periods", PlaylistLimits.periods),
    ("representations", PlaylistLimits.representations), ("hops", PlaylistLimits.hops),
    ("texts", PlaylistLimits.texts), ("textSegment", PlaylistLimits.textSegment),
    ("cues", PlaylistLimits.cues), ("cueBytes", PlaylistLimits.cueBytes),
  ]

  @Test(arguments: StreamLimit.allCases.map { ($0.rawValue, $0.value) } + playlists)
  func aLimitStandsOnThePage(name: String, value: Int) throws {
    let rows = Self.rows.filter { $0[0].hasPrefix("`\(name)` ") }
    try #require(rows.count == 1, "\(name)")
    let numbers = WrittenNumber.all(in: String(rows[0][1]))
    let number = try #require(numbers.first)
    #expect(numbers.count == 1)
    #expect(Int(number.number * (number.unit?.size ?? 1)) == value, "\(name)")
  }

  @Test func noOtherNumberStandsThere() {
    #expect(Self.rows.count == StreamLimit.allCases.count + Self.playlists.count)
    #expect(Self.rows.allSatisfy { $0.count == 3 })
  }

  @Test(arguments: StreamLimit.allCases)
  func aLimitIsReachedAndNotExceeded(limit: StreamLimit) {
    #expect(throws: Never.self) { try limit.check(limit.value) }
    #expect(throws: StreamError.tooLarge(limit.rawValue)) { try limit.check(limit.value + 1) }
    #expect(throws: StreamError.tooLarge(limit.rawValue)) { try limit.check(-1) }
  }
}
