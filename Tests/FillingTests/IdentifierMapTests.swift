import TestSupport
import Testing

@testable import Filling

@Suite(.timeLimit(.minutes(1))) struct IdentifierMapTests {
  private typealias Map = IdentifierMap<FetchKind, Int>

  /// A dictionary is the truth: it costs more, and does the same.
  @Test(arguments: 0..<50) func itDoesWhatADictionaryDoes(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var map: Map = [:]
    var truth: [FetchID: Int] = [:]
    for step in 0..<200 {
      let key = FetchID(Int.random(in: 1...20, using: &random))
      if Bool.random(using: &random) {
        (map[key], truth[key]) = (step, step)
      } else if Bool.random(using: &random) {
        #expect(map.removeValue(forKey: key) == truth.removeValue(forKey: key))
      } else {
        (map[key], truth[key]) = (nil, nil)
      }
      #expect(map.keys == truth.keys.sorted() && map.count == truth.count)
      #expect(map.allSatisfy { truth[$0.key] == $0.value } && map.isEmpty == truth.isEmpty)
      #expect((1...20).allSatisfy { map[FetchID($0)] == truth[FetchID($0)] })
      #expect((1...20).allSatisfy { map.has(FetchID($0)) == (truth[FetchID($0)] != nil) })
    }
  }

  @Test func aPartOfAValueIsChangedWhereItLies() {
    var map: IdentifierMap<FetchKind, [Int]> = [3: [1], 1: [], 2: [5]]
    map[3]?.append(2)
    map[4]?.append(9)
    #expect(map.keys == [1, 2, 3] && map.values == [[], [5], [1, 2]])
  }

  @Test func whatIsLeftOfAFilterKeepsItsOrder() {
    let map: Map = [5: 50, 2: 20, 9: 90]
    let large = map.filter { $0.value > 20 }
    #expect(large.keys == [5, 9] && large.values == [50, 90])
  }
}
