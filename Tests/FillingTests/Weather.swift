import Filling
import TestSupport

/// The behaviour of origin and store in one simulation, in percent.
struct Weather {
  var faults: Int
  var stalls: Int
  var wholeBodies: Int
  var losesBlocks: Bool
  var hasChanged = false

  /// Weather without faults.
  static let fair = Weather(faults: 0, stalls: 0, wholeBodies: 0, losesBlocks: false)

  private init(faults: Int, stalls: Int, wholeBodies: Int, losesBlocks: Bool) {
    self.faults = faults
    self.stalls = stalls
    self.wholeBodies = wholeBodies
    self.losesBlocks = losesBlocks
  }

  init(random: inout SeededRandom) {
    faults = [0, 1, 10, 50, 100][random.below(5)]
    stalls = [0, 0, 50, 90][random.below(4)]
    wholeBodies = [0, 0, 0, 10, 100][random.below(5)]
    losesBlocks = random.chance(30)
    hasChanged = random.chance(10)
  }

  /// Returns a random end for a fetch that never began.
  func anyEnd(_ random: inout SeededRandom) -> FetchEnd {
    switch random.below(14) {
    case 0..<4: .failed
    case 4..<8: .unanswered
    case 8: .busy(after: .milliseconds(random.below(20_000)))
    case 9: .busy(after: nil)
    case 10: .gone
    case 11: .mayBeGone
    case 12: .doubted
    default: .unsatisfiable(length: nil)
    }
  }
}
