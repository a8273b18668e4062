import Blocks
import Filling
import Streams
import TestSupport
import Testing

@testable import FeedMount
@testable import StreamFiles

/// The rules by which slots are made, kept and left: who waits, and for what.
@Suite(.timeLimit(.minutes(1)))
struct FilmStateTests {
  private static let broken = PieceError(.failed, "cut")

  private var scene: FilmScene

  init() throws {
    scene = try FilmScene()
  }

  private func range(_ slot: Int, _ bytes: Range<Int>) -> ByteRange {
    scene.places[slot] + bytes.lowerBound..<scene.places[slot] + bytes.upperBound
  }

  private func slot(_ number: Int) -> ByteRange {
    scene.places[number]..<scene.places[number + 1]
  }

  private func truth(_ range: ByteRange) -> [UInt8] { Array(scene.truth[range]) }

  // MARK: Who waits

  @Test mutating func aSlotIsMadeOnceForAllFetchesThatWantIt() {
    scene.want(1, range(1, 0..<60_000))
    scene.want(2, range(1, 50_000..<180_000))
    #expect(scene.asked.map(\.resource) == [1])
    scene.give(scene.asked[0], 150_000)
    #expect(scene.hasAll(1) && scene.ends[2] == nil)
    scene.give(scene.asked[0], 150_000)
    #expect(scene.hasAll(2) && scene.asked.count == 1)
    #expect(scene.given[1] == truth(range(1, 0..<60_000)))
    #expect(scene.given[2] == truth(range(1, 50_000..<180_000)))
  }

  @Test mutating func aFetchIsGivenWhatIsThereAndToldWhenMoreTakesAWhile() {
    scene.want(1, range(1, 0..<300_000))
    #expect(scene.rested.isEmpty)
    scene.give(scene.asked[0], 150_000)
    let first = scene.given[1]?.count ?? 0
    #expect(first > 0 && first < 150_000 && scene.rested == [1])
    scene.give(scene.asked[0], 100)
    #expect(scene.rested.count <= 2 && scene.ends[1] == nil)
  }

  @Test mutating func theHeadNeedsNoRequest() {
    scene.want(1, 0..<scene.layout.head.count)
    #expect(scene.asked.isEmpty && scene.hasAll(1))
    #expect(scene.given[1] == scene.layout.head)
  }

  @Test mutating func theNextSlotsAreOnTheirWayWhileOneIsGiven() {
    scene.want(1, scene.places[0]..<scene.places[3], .ahead)
    #expect(scene.asked.map(\.resource) == [0, 1, 2])
    #expect(scene.asked.allSatisfy { $0.urgency == .ahead })
    scene.give(scene.asked[2])
    #expect(scene.given[1] == nil)
    scene.giveAll()
    #expect(scene.hasAll(1) && scene.given[1] == truth(scene.places[0]..<scene.places[3]))
  }

  @Test mutating func whatAReaderWaitsForIsPromoted() {
    scene.want(1, range(1, 0..<100_000), .ahead)
    scene.want(2, range(2, 0..<100_000), .ahead)
    #expect(scene.promote(2) == [.promote(scene.asked[1].piece)])
    #expect(scene.promote(2).isEmpty)
    scene.want(3, range(1, 0..<1000))
    #expect(scene.promoted == [scene.asked[1].piece, scene.asked[0].piece])
    #expect(scene.asked.count == 2)
  }

  // MARK: Leaving

  @Test mutating func workEndsWhenTheLastFetchLeavesItAndGoesOnWhereItWas() {
    scene.want(1, range(1, 0..<300_000))
    scene.want(2, range(1, 0..<300_000))
    scene.give(scene.asked[0], 200_000)
    scene.cancel(1)
    #expect(scene.cancelled.isEmpty && scene.trouble(1)?.end == .unanswered)
    scene.cancel(2)
    #expect(scene.cancelled == [scene.asked[0].piece])
    scene.want(3, range(1, 0..<300_000))
    #expect(scene.asked[1].range.lowerBound == 200_000)
    scene.giveAll()
    #expect(scene.given[3] == truth(range(1, 0..<300_000)))
  }

  @Test mutating func afterAFetchHasAllItsWorkLingersForASecond() {
    scene.want(1, range(1, 0..<64_000))
    scene.give(scene.asked[0], 150_000)
    #expect(scene.hasAll(1) && scene.cancelled.isEmpty && scene.wakes == [.seconds(1)])
    scene.pass(.milliseconds(999))
    #expect(scene.cancelled.isEmpty)
    scene.pass(.milliseconds(1))
    #expect(scene.cancelled == [scene.asked[0].piece])
    #expect(scene.pass(.seconds(60)).isEmpty)
  }

  @Test mutating func eachSlotThatLingersEndsAtItsTime() {
    for number in 0..<3 {
      scene.want(FetchID(number + 1), range(number, 0..<64_000), .ahead)
      scene.give(scene.asked[number], 150_000)
      scene.pass(.milliseconds(200))
    }
    for number in 0..<3 {
      let end = Duration.milliseconds(1000 + 200 * number)
      #expect(scene.wakes.count == number + 1 && scene.wakes.last == end)
      scene.pass(end - scene.now)
      #expect(scene.cancelled == scene.asked.prefix(number + 1).map(\.piece))
    }
  }

  @Test mutating func aFetchThatFollowsTakesOverTheWork() {
    scene.want(1, range(1, 0..<64_000))
    scene.give(scene.asked[0], 150_000)
    scene.want(2, range(1, 64_000..<300_000))
    scene.pass(.seconds(2))
    #expect(scene.cancelled.isEmpty && scene.asked.count == 1)
    scene.giveAll()
    #expect(scene.hasAll(2))
  }

  @Test mutating func whileItLingersASlotMayBeFinished() {
    scene.want(1, range(1, 0..<64_000))
    scene.give(scene.asked[0])
    #expect(scene.state.slots[1]?.isWhole == true)
    #expect(scene.pass(.seconds(2)).isEmpty)
    scene.want(2, slot(1))
    #expect(scene.hasAll(2) && scene.asked.count == 1)
  }

  @Test(arguments: [Urgency.demand, .ahead])
  mutating func aReaderElsewhereEndsWhatNobodyWants(urgency: Urgency) {
    scene.want(1, range(1, 0..<64_000))
    scene.give(scene.asked[0], 150_000)
    scene.want(2, range(2, 0..<64_000), urgency)
    #expect(scene.cancelled == (urgency == .demand ? [scene.asked[0].piece] : []))
  }

  @Test mutating func closingEndsWhatNobodyWantsAndNothingElse() {
    scene.want(1, range(1, 0..<64_000))
    scene.give(scene.asked[0], 150_000)
    scene.want(2, range(2, 0..<64_000), .ahead)
    #expect(scene.close() == [.cancel(scene.asked[0].piece)])
    #expect(scene.ends[2] == nil && scene.close().isEmpty)
  }

  @Test mutating func whatIsOverHasNoEffect() {
    scene.want(1, range(1, 0..<64_000))
    scene.cancel(1)
    let asked = scene.asked[0]
    #expect(scene.state.received(asked.piece, [1, 2, 3], at: scene.now).isEmpty)
    #expect(scene.state.ended(asked.piece, Self.broken, at: scene.now).isEmpty)
    #expect(scene.cancel(1).isEmpty && scene.promote(1).isEmpty && scene.cancel(9).isEmpty)
  }

  // MARK: Memory

  @Test mutating func slotsAreKeptInABoundedMemoryTheOldestGoFirst() throws {
    scene = try FilmScene(segments: 30)
    for number in 0..<30 {
      scene.want(FetchID(number + 1), slot(number))
      scene.giveAll()
      #expect(scene.hasAll(FetchID(number + 1)))
    }
    let memory = scene.state.slots.values.reduce(0) { $0 + $1.memory }
    #expect(memory <= FilmState.retainedBytes && memory > FilmState.retainedBytes - 1 << 20)
    #expect(scene.state.slots.keys.sorted() == Array((30 - scene.state.slots.count)..<30))
    let asked = scene.asked.count
    scene.want(100, slot(29))
    #expect(scene.asked.count == asked && scene.hasAll(100))
    scene.want(101, slot(0))
    #expect(scene.asked.count == asked + 1)
    scene.giveAll()
    #expect(scene.given[101] == truth(slot(0)))
  }

  @Test mutating func noMoreThanSomeSlotsAreFetchedAhead() throws {
    scene = try FilmScene(segments: 30)
    scene.want(1, scene.places[0]..<scene.places[30], .ahead)
    #expect(scene.asked.count == 1 + FilmState.slotsAhead)
    scene.giveAll()
    #expect(scene.hasAll(1) && scene.given[1] == truth(scene.places[0]..<scene.places[30]))
    let memory = scene.state.slots.values.reduce(0) { $0 + $1.memory }
    #expect(memory <= FilmState.retainedBytes)
  }

  // MARK: Failures

  @Test mutating func aFailureIsThatOfTheFetchesThatWaitAndOfNoLaterOne() {
    scene.want(1, range(1, 0..<300_000))
    scene.want(2, scene.places[0]..<scene.places[2], .ahead)
    let own = scene.asked[0]
    #expect(own.resource == 1)
    scene.give(own, 150_000)
    scene.end(own, Self.broken)
    #expect(scene.trouble(1) == Self.broken && scene.ends[2] == nil)
    #expect(truth(slot(1)).starts(with: scene.given[1] ?? [0]) && scene.given[1]?.isEmpty == false)
    // The other one comes to the slot later, and asks for it from its beginning.
    scene.giveAll()
    #expect(scene.hasAll(2) && scene.given[2] == truth(scene.places[0]..<scene.places[2]))
    #expect(scene.asked.filter { $0.resource == 1 }.map(\.range.lowerBound) == [0, 0])
  }

  @Test mutating func anAnswerThatIsTooShortFails() {
    scene.want(1, range(1, 0..<300_000))
    scene.give(scene.asked[0], 150_000)
    scene.end(scene.asked[0], nil)
    #expect(
      scene.trouble(1)?.end == .failed && scene.trouble(1)?.words?.contains("too short") == true)
  }

  @Test mutating func anEndBehindAllBytesIsNoFailure() {
    scene.want(1, slot(1))
    scene.answer(scene.asked[0])
    scene.note(
      scene.state.received(scene.asked[0].piece, scene.contents[1], at: scene.now))
    scene.end(scene.asked[0], Self.broken)
    #expect(scene.hasAll(1))
  }

  @Test mutating func anAnswerWithTheWholeEndsWhenAllIsThere() {
    scene.want(1, range(1, 0..<64_000))
    scene.give(scene.asked[0], 150_000)
    scene.pass(.seconds(1))
    scene.want(2, slot(1))
    scene.answer(scene.asked[1], isWhole: true)
    scene.note(
      scene.state.received(
        scene.asked[1].piece, Array(scene.contents[1][150_000...]), at: scene.now))
    #expect(scene.hasAll(2) && scene.cancelled.last == scene.asked[1].piece)
    #expect(scene.cancelled.count == 2)
  }

  // MARK: Slots that cannot be made

  private mutating func damage() {
    for packet in stride(from: 188 * 600, to: scene.contents[1].count, by: 188) {
      scene.contents[1][packet + 3] |= 0xC0
    }
  }

  @Test mutating func oneAnswerAloneDoesNotProveThatASlotCannotBeMade() {
    let sound = scene.contents[1]
    damage()
    scene.want(1, slot(1))
    scene.give(scene.asked[0])
    #expect(scene.ends.isEmpty && scene.asked.count == 2)
    #expect(scene.asked[1].range == 0..<sound.count)
    scene.contents[1] = sound
    scene.giveAll()
    #expect(scene.hasAll(1) && scene.given[1] == truth(slot(1)) && scene.state.lost.isEmpty)
  }

  @Test mutating func whatTwoAnswersShowFailsAtOnceWithItsReason() {
    damage()
    scene.want(1, scene.places[0]..<scene.places[2])
    scene.giveAll()
    let trouble = scene.trouble(1)
    #expect(trouble?.end == .impossible && trouble?.words?.contains("encrypted") == true)
    // All bytes in front of the fault are given.
    #expect(truth(scene.places[0]..<scene.places[2]).starts(with: scene.given[1] ?? [0]))
    #expect(scene.given[1]?.count ?? 0 >= scene.places[1] - scene.places[0])
    #expect(scene.asked.count { $0.resource == 1 } == 2)
  }

  /// The pause doubles, and ends when the slot has been made.
  @Test mutating func aLostSlotCostsNoRequestForAWhile() {
    let sound = scene.contents[1]
    damage()
    scene.want(1, slot(1))
    scene.giveAll()
    var fetch = FetchID(1)
    for pause in [500, 1000, 2000, 4000, 4500, 4500] {
      let asked = scene.asked.count
      for _ in 0..<2 {
        fetch = fetch.next
        scene.want(fetch, slot(1))
        #expect(scene.trouble(fetch)?.end == .impossible && scene.asked.count == asked)
        if scene.now < scene.state.lost[1]?.until ?? .zero {
          scene.now = (scene.state.lost[1]?.until ?? .zero) - .milliseconds(1)
        }
      }
      scene.now += .milliseconds(1)
      fetch = fetch.next
      let start = scene.now
      scene.want(fetch, slot(1))
      scene.giveAll()
      #expect(scene.asked.count == asked + 2 && scene.trouble(fetch)?.end == .impossible)
      let next = scene.state.lost[1].map { $0.until - start }
      #expect(next == .milliseconds(min(pause * 2, 4500)))
    }
    scene.contents[1] = sound
    scene.now += .seconds(5)
    scene.want(fetch.next, slot(1))
    scene.giveAll()
    #expect(scene.hasAll(fetch.next) && scene.state.lost.isEmpty)
  }

  @Test mutating func aLostSlotAheadFailsNothingInFrontOfIt() {
    damage()
    scene.want(1, slot(1))
    scene.giveAll()
    scene.want(2, scene.places[0]..<scene.places[1] + 10, .ahead)
    scene.giveAll()
    #expect(scene.trouble(2)?.end == .impossible)
    #expect(scene.given[2] == truth(scene.places[0]..<scene.places[1]))
    scene.want(3, slot(2))
    scene.giveAll()
    #expect(scene.hasAll(3))
  }

  // MARK: Versions

  @Test mutating func anAnswerOfAnotherLengthIsAnotherVersion() {
    scene.want(1, slot(1))
    scene.answer(scene.asked[0], length: scene.contents[1].count + 1)
    #expect(scene.trouble(1)?.end == .changed && scene.given[1] == nil)
  }

  @Test mutating func bytesOfAnotherVersionAreNotMixed() {
    scene.want(1, slot(1))
    scene.give(scene.asked[0], 200_000)
    scene.cancel(1)
    scene.tag = "b"
    scene.want(2, slot(1))
    #expect(scene.asked[1].range.lowerBound == 200_000)
    scene.answer(scene.asked[1])
    #expect(scene.cancelled.last == scene.asked[1].piece)
    #expect(scene.asked[2].range.lowerBound == 0)
    scene.giveAll()
    #expect(scene.given[2] == truth(slot(1)))
  }

  @Test mutating func anotherBeginningIsAnotherVersion() {
    scene.contents[1][100] ^= 1
    scene.want(1, slot(1))
    scene.give(scene.asked[0], 200_000)
    #expect(scene.trouble(1)?.end == .changed && scene.given[1] == nil)
    #expect(scene.cancelled == [scene.asked[0].piece])
  }

  /// Without tags the beginning is asked for again, before the rest is taken.
  private mutating func goOnWithoutTags() -> FilmScene.Asked {
    scene.tag = nil
    scene.want(1, slot(1))
    scene.give(scene.asked[0], 200_000)
    scene.cancel(1)
    scene.want(2, slot(1))
    scene.answer(scene.asked[1])
    return scene.asked[scene.asked.count - 1]
  }

  @Test mutating func bytesWithoutATagWaitForTheirProof() {
    let sample = goOnWithoutTags()
    #expect(sample.range == 0..<SegmentBeginning.size && sample.resource == 1)
    let before = scene.given[2]?.count ?? 0
    scene.give(scene.asked[1])
    #expect(scene.given[2]?.count ?? 0 == before)
    scene.give(sample)
    #expect(scene.hasAll(2) && scene.given[2] == truth(slot(1)))
  }

  @Test mutating func aProofThatFailsInPassingIsAskedForAgain() {
    var sample = goOnWithoutTags()
    for pause in [300, 1200] {
      scene.end(sample, Self.broken)
      #expect(scene.ends[2] == nil && scene.wakes.last == scene.now + .milliseconds(pause))
      let asked = scene.asked.count
      scene.pass(.milliseconds(pause - 1))
      #expect(scene.asked.count == asked)
      scene.pass(.milliseconds(1))
      #expect(scene.asked.count == asked + 1)
      sample = scene.asked[asked]
    }
    scene.end(sample, Self.broken)
    #expect(scene.trouble(2) == Self.broken && scene.underWay.isEmpty)
  }

  @Test mutating func aProofThatIsOfOtherBytesEndsAll() {
    let sample = goOnWithoutTags()
    scene.contents[1][50] ^= 1
    scene.give(sample)
    #expect(scene.trouble(2)?.end == .changed && scene.underWay.isEmpty)
  }
}
