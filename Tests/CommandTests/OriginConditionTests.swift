import Blocks
import Control
import FoundationEssentials
import Playback
import Testing

@testable import CommandTools

/// Programs read an origin's condition; its words are for people alone.
@Suite(.timeLimit(.minutes(1))) struct OriginConditionTests {
  /// A status as the first version wrote it.
  private static func firstStatus() throws -> MountStatus {
    let tests = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    let bytes = try Data(contentsOf: URL(filePath: "/\(tests)/Fixtures/status-schema-4.json"))
    return try Wire.decode(MountStatus.self, from: Array(bytes))
  }

  private func status(_ conditions: [OriginCondition]) throws -> MountStatus {
    var status = try Self.firstStatus()
    status.mode = .online
    status.origins = conditions.map { condition in
      OriginStatus(
        origin: "https://example.org:443", condition: condition, state: "said in other words",
        lastError: nil, requests: 1, bytes: 2)
    }
    return status
  }

  @Test func aStatusOfTheFirstVersionIsRead() throws {
    let first = try Self.firstStatus()

    #expect(first.schema == 4 && MountStatus.currentSchema == 4)
    #expect(first.files.map(\.state) == [.complete, .partial, .empty, .complete, .empty])
    #expect(first.mode == .offline && !first.isMetered)
    #expect(first.files.map(\.mark) == Array(repeating: "new", count: 5))
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
    ] as [(OriginCondition, StyledLine.Style)])
  func theColourFollowsTheCondition(condition: OriginCondition, style: StyledLine.Style) throws {
    let lines = StatusTable(status: try status([condition]), face: TerminalFace()).lines

    let span = lines.flatMap(\.spans).first { $0.text == "said in other words" }
    #expect(span?.style == style)
  }

  @Test(
    arguments: [
      ([], .online), ([.unreachable], .offline), ([.unreachable, .unreachable], .offline),
      ([.unreachable, .reachable], .online), ([.unreachable, .unknown], .online),
      ([.waiting], .online),
    ] as [([OriginCondition], PlayCondition)])
  func aMountWithoutAnyOriginIsAsGoodAsOffline(
    origins: [OriginCondition], condition: PlayCondition
  ) throws {
    var status = try status(origins)
    #expect(PlayedMount.condition(status) == condition)
    status.mode = .paused
    #expect(PlayedMount.condition(status) == .paused)
    status.mode = .offline
    #expect(PlayedMount.condition(status) == .offline)
  }
}
