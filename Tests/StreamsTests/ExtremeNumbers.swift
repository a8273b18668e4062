import TestSupport

/// Chooses numbers, most of them ordinary ones. So the readers get to those that are not.
struct ExtremeNumbers {
  var random: SeededRandom

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
  }

  /// Returns `usual`, or a number at an end of what `width` bytes hold.
  mutating func number(_ usual: Int, _ width: Int = 8) -> Int {
    guard random.chance(20) else { return usual }
    let most = width == 8 ? Int.max : 1 << (8 * width) - 1
    let middle = most / 2 + 1
    let all = [0, 1, middle - 1, middle, most - 1, most, most / 1_000_000, most / 1_000_000_000]
    return all[random.below(all.count)]
  }

  /// Returns `usual`, or a number at an end of those with a sign.
  mutating func signed(_ usual: Int) -> Int {
    let number = number(usual)
    guard number != usual, random.chance(50) else { return number }
    return random.chance(50) ? -number : -number - 1
  }

  mutating func text(_ usual: Int, _ width: Int = 8) -> String { "\(number(usual, width))" }

  mutating func one<Element>(of all: [Element]) -> Element { all[random.below(all.count)] }
}
