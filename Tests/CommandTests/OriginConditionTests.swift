import Blocks
import Control
import FoundationEssentials
import Playback
import Testing

@testable import CommandTools

/// Programs read an origin's condition; its words are for people alone.
@Suite(.timeLimit(.minutes(1))) struct OriginConditionTests {
  /// A status by a feedfs of schema 2, which had nothing but words.
  private static func oldStatus() throws -> MountStatus {
    let tests = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    let bytes = try Data(contentsOf: URL(filePath: "/\(tests)/Fixtures/status-schema-2.json"))
    return try Wire.decode(MountStatus.self, from: Array(bytes))
  }

  private func status(_ conditions: [OriginCondition?]) throws -> MountStatus {
    var status = try Self.oldStatus()
    status.origins = conditions.map { condition in
      var origin = OriginStatus(
        origin: "https://example.org:443", condition: .unknown, state: "said in other words",
        lastError: nil, requests: 1, bytes: 2)
      origin.condition = condition
      return origin
    }
    return status
  }

  @Test func aStatusOfTheSchemaBeforeIsStillRead() throws {
    let old = try Self.oldStatus()

    #expect(old.schema == 2 && MountStatus.currentSchema == 3)
    #expect(old.files.map(\.state) == [.complete, .empty] && old.mode == .online)
    #expect(old.origins.map(\.condition) == [nil, nil])
    #expect(
      old.origins.map(\.state) == [
        "unreachable: connection refused, next probe in 2 s", "reachable",
      ])
    let lines = StatusTable(status: old, face: TerminalFace()).lines.map {
      $0.text(coloured: false)
    }
    #expect(lines.contains { $0.hasPrefix("http://127.0.0.1:8765  reachable  2 requests") })
  }

  @Test func theWordsKeepTheirFieldBesideTheCondition() throws {
    let origin = OriginStatus(
      origin: "o", condition: .unreachable, state: "unreachable: status 503", lastError: nil,
      requests: 1, bytes: 2)
    let text = String(decoding: try Wire.encode(origin), as: UTF8.self)

    #expect(text.contains(#""condition":"unreachable""#))
    #expect(text.contains(#""state":"unreachable: status 503""#))
    #expect(
      OriginCondition.allCases.map(\.rawValue) == [
        "unknown", "reachable", "waiting", "unreachable",
      ])
  }

  @Test(
    arguments: [
      (.reachable, .good), (.unknown, .usual), (.waiting, .bad), (.unreachable, .bad),
      (nil, .usual),
    ] as [(OriginCondition?, StyledLine.Style)])
  func theColourFollowsTheCondition(condition: OriginCondition?, style: StyledLine.Style) throws {
    let lines = StatusTable(status: try status([condition]), face: TerminalFace()).lines

    let span = lines.flatMap(\.spans).first { $0.text == "said in other words" }
    #expect(span?.style == style)
  }

  @Test(
    arguments: [
      ([], .online), ([.unreachable], .offline), ([.unreachable, .unreachable], .offline),
      ([.unreachable, .reachable], .online), ([.unreachable, .unknown], .online),
      ([.waiting], .online), ([nil], .online),
    ] as [([OriginCondition?], PlayCondition)])
  func aMountWithoutAnyOriginIsAsGoodAsOffline(
    origins: [OriginCondition?], condition: PlayCondition
  ) throws {
    var status = try status(origins)
    #expect(PlayedMount.condition(status) == condition)
    status.mode = .paused
    #expect(PlayedMount.condition(status) == .paused)
    status.mode = .offline
    #expect(PlayedMount.condition(status) == .offline)
  }
}
