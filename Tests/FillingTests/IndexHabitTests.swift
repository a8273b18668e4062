import TestSupport
import Testing

@testable import Filling

/// The lesson of a feed's films for the next one.
@Suite(.timeLimit(.minutes(1)))
struct IndexHabitTests {
  private func habit(_ places: [IndexPlace]) -> IndexHabit {
    var habit = IndexHabit()
    for (number, place) in places.enumerated() { habit.note(place, of: UInt64(number + 1)) }
    return habit
  }

  @Test(
    arguments: [
      ([], nil), ([.atEnd(1000)], nil), ([.atEnd(1000), .atEnd(1000)], 128.kib),
      ([.elsewhere, .atEnd(1000), .atEnd(1000)], 128.kib),
      ([.atEnd(1000), .elsewhere, .atEnd(1000)], nil),
      ([.atEnd(1000), .atEnd(1000), .elsewhere], nil),
    ] as [([IndexPlace], Int?)])
  func twoFilmsInARowMakeAHabitAndOneEndsIt(places: [IndexPlace], tail: Int?) {
    #expect(habit(places).tail == tail)
  }

  @Test func theSameFilmCountsOnce() {
    var habit = IndexHabit()
    for _ in 0..<3 { habit.note(.atEnd(1000), of: 1) }
    #expect(habit.tail == nil)
    habit.note(.atEnd(1000), of: 2)
    #expect(habit.tail != nil)
  }

  /// It is a quarter longer than the longer of the last two, and one to two blocks more.
  @Test(arguments: [(100.kib, 150.kib, 256.kib), (150.kib, 100.kib, 256.kib), (900.kib, 1, 1.mib)])
  func theTailHasRoomForALongerIndex(first: Int, second: Int, tail: Int) {
    #expect(habit([.atEnd(first), .atEnd(second)]).tail == tail)
    #expect(IndexHabit.maxTail == Figure.maxTail.bytes)
  }

  @Test func anOriginThatDoesNotUnderstandItIsNotAskedAgain() {
    var habit = habit([.atEnd(1000), .atEnd(1000)])
    habit.refused()
    habit.note(.atEnd(1000), of: 3)
    habit.note(.atEnd(1000), of: 4)
    #expect(habit.tail == nil)
  }

  @Test(arguments: [(1000, 128.kib), (0, nil), (-5, nil), (2.mib, nil), (.max, nil)])
  func aHabitIsMadeOfWhatWasKept(bytes: Int, tail: Int?) {
    #expect(IndexHabit(bytes: bytes).tail == tail)
  }
}
