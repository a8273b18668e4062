import Testing

/// The folders of `Sources` must be clear to a newcomer (docs/architecture.md).
@Suite(.timeLimit(.minutes(1)))
struct RoomTests {
  private static let maxFiles = 20
  private static let house = House.sources

  @Test func noRoomIsCrowded() {
    #expect(Self.house.files.count > 300)
    for (room, count) in Self.house.sizes {
      #expect(count <= Self.maxFiles, "\(room) holds \(count) files")
    }
  }

  @Test func arrowsBetweenRoomsGoOneWay() {
    let arrows = Self.house.arrows
    #expect(arrows.count > 10)
    let circle = Self.house.circle
    for room in circle.sorted() {
      for (other, reason) in arrows[room] ?? [:] where circle.contains(other) {
        Issue.record("\(room) needs \(other): \(reason)")
      }
    }
  }

  @Test func aCircleIsFound() {
    let house = House([
      "A/One/First.swift": "struct First { let second: Second }",
      "A/Two/Second.swift": "enum Second { case third(Third) }",
      "A/Three/Third.swift": "let first = \"\\(First.self)\"\nprotocol Third {}",
      "A/Four/Fourth.swift": "extension First {}\n// Second\nlet text = \"Third\"",
    ])
    #expect(house.circle == ["A/One", "A/Two", "A/Three"])
    #expect(house.arrows["A/Four"]?.keys.sorted() == ["A/One"])
  }

  @Test func aTypeOfAnotherTargetCountsWhereThatIsImported() {
    let house = House([
      "A/First.swift": "import B\nlet second: Second",
      "B/Second.swift": "struct Second { struct First {} }",
      "C/Third.swift": "let second: Second",
    ])
    #expect(house.arrows == ["A": ["B": "A/First.swift → Second"]])
    #expect(house.circle.isEmpty)
  }
}
