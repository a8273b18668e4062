import Blocks
import TestSupport
import Testing

@testable import Filling

/// Reactions to failures of the origin.
@Suite(.timeLimit(.minutes(1)))
struct TroubleTests {
  /// A reader that waits for the first bytes, as wait 1, with fetch 1 under way.
  private var scene: Scene
  private let handle: FillState.HandleID

  init() {
    scene = Scene()
    handle = scene.state.opened()
    scene.read(0..<4.kib, by: handle)
  }

  // MARK: Deadlines

  @Test mutating func aWaitEndsAtItsDeadline() {
    #expect(scene.pass(.seconds(60) - .milliseconds(1)) == [])
    #expect(scene.pass(.milliseconds(1)) == [.fail(1, .unreachable), .cancel(1)])
    #expect(scene.state.nextWake(after: scene.now) == nil)
  }

  @Test mutating func whoWaitsForNothingThatIsUnderWayIsToldOfInTheLog() {
    #expect(!scene.state.description(at: scene.now).contains("forgotten"))

    scene.state.fetches = [:]
    #expect(scene.state.description(at: scene.now).contains("1 for 0..<4096 until 160"))
    #expect(scene.state.description(at: scene.now).contains(", forgotten"))
  }

  @Test mutating func aDeadlineCountsFromTheReadAlsoIfItWaitsAgain() {
    let now = scene.now
    _ = scene.event { $0.wants(0..<4.kib, by: 1, as: 9, since: now - .seconds(59), at: now) }

    #expect(scene.state.nextWake(after: now) == now + .seconds(1))
  }

  @Test mutating func onlyThoseWhoseDeadlineHasComeFail() {
    scene.pass(.seconds(30))
    let second = scene.read(0..<4.kib, by: handle).wait

    #expect(scene.pass(.seconds(30)) == [.fail(1, .unreachable)])
    #expect(scene.pass(.seconds(30)) == [.fail(second, .unreachable), .cancel(1)])
  }

  @Test mutating func aRangeThatFailedWithinTheLastSecondFailsAtOnce() {
    scene.pass(.seconds(60))
    let again = scene.read(0..<4.kib, by: handle)
    #expect(again.actions == [.fail(again.wait, .unreachable)])
    scene.now += .milliseconds(999)
    let late = scene.read(1..<2, by: handle)
    #expect(late.actions == [.fail(late.wait, .unreachable)])

    #expect(scene.read(8.kib..<9.kib, by: handle).actions.contains { $0.isFetch })
  }

  @Test mutating func afterASecondTheOriginIsAskedAgain() {
    scene.pass(.seconds(60))
    scene.now += .seconds(1)

    #expect(scene.read(0..<4.kib, by: handle).actions == [.fetch(2, 0..<firstFetch, .demand)])
  }

  @Test mutating func bytesThatCameAfterAllAreReadInSpiteOfTheFailure() {
    scene.begin(1)
    scene.pass(.seconds(60))
    scene.give(0..<4.kib, in: 1)
    let again = scene.read(0..<4.kib, by: handle)

    #expect(again.actions.first == .resume(again.wait))
  }

  // MARK: Trying again

  @Test mutating func after8AnswersWithoutANewByteReadersAreTold() {
    let most = Figure.fruitlessAnswers.count
    for number in (1...most).map(FetchID.init(_:)) {
      #expect(scene.underWay == [number])
      let actions = scene.end(number, .failed)
      #expect(actions == (number.value == most ? [.fail(1, .unreachable)] : []))
      scene.pass(.milliseconds(4500))
    }
    #expect(scene.requests.count == most)
    #expect(!scene.state.isFetching)
  }

  @Test mutating func whoComesAfterwardsHas8TriesAsWell() {
    for number in (1...8).map(FetchID.init(_:)) {
      scene.end(number, .failed)
      scene.pass(.milliseconds(4500))
    }
    let next = scene.read(0..<4.kib, by: handle).wait
    for number in (9...15).map(FetchID.init(_:)) { #expect(scene.failAndPass(number) == []) }

    #expect(scene.end(16, .failed) == [.fail(next, .unreachable)])
  }

  @Test mutating func whoWaitsElsewhereIsNotToldOfIt() {
    let far = scene.read(30.mib..<30.mib + 4.kib, by: scene.state.opened()).wait
    for _ in 1...8 {
      let fetch = scene.asked.last { $0.bytes.lowerBound == 0 }?.fetch ?? 0
      scene.end(fetch, .failed)
      scene.pass(.milliseconds(4500))
    }

    #expect(scene.state.waiting.keys.sorted() == [far])
    #expect(scene.underWay == [2])
  }

  @Test mutating func unansweredFetchesDoNotCount() {
    for number in (1...13).map(FetchID.init(_:)) {
      #expect(scene.end(number, .unanswered) == [])
      scene.pass(.milliseconds(4500))
    }
    #expect(scene.state.waitingCount == 1)
  }

  @Test mutating func readingGoesOnWithin5SecondsAfterAFaultWentAway() {
    for number in (1...20).map(FetchID.init(_:)) {
      scene.end(number, .unanswered)
      let wake = scene.state.nextWake(after: scene.now) ?? .zero
      #expect(wake > scene.now)
      #expect(wake - scene.now <= .milliseconds(4500))
      guard number < 12 else { break }
      scene.pass(wake - scene.now)
      #expect(scene.underWay == [number.next])
    }
  }

  @Test mutating func theNextTryWaitsItsTime() {
    scene.end(1, .failed)
    #expect(scene.pass(.milliseconds(374)) == [])
    let second = scene.read(0..<4.kib, by: handle)

    #expect(second.actions == [])
    #expect(scene.pass(.milliseconds(126)) == [.fetch(2, 0..<firstFetch, .demand)])
  }

  @Test mutating func anAnswerThatBroughtABlockIsContinuedAtOnce() {
    scene.read(0..<firstFetch, by: handle)
    scene.begin(1)
    scene.give(0..<70.kib, in: 1)

    #expect(
      scene.end(1, .failed) == [.suspect([0..<70.kib]), .fetch(2, 66.kib..<firstFetch, .demand)])
  }

  /// Each answer breaks off after `piece` bytes.
  @Test(arguments: [1, 100, 1.kib, 8.kib, 48.kib, 63.kib])
  mutating func aLinkThatBreaksAgainAndAgainIsReadToTheEndWithoutAPause(piece: Int) {
    let end = piece < 1.kib ? 4.kib : firstFetch
    scene.read(0..<end, by: handle)
    let start = scene.now
    while let last = scene.asked.last, scene.state.accepts(last.fetch),
      scene.state.waitingCount > 0
    {
      scene.begin(last.fetch)
      scene.give(last.bytes.prefix(piece), in: last.fetch)
      scene.end(last.fetch, .failed)
    }

    #expect(scene.state.waitingCount == 0)
    #expect(scene.now == start)
    #expect(scene.state.trouble.failing == nil)
  }

  @Test mutating func onlyAnswersWithoutAByteCostAPauseAndTheFirstByteEndsThem() {
    scene.read(0..<64.kib, by: handle)
    var pauses = 0
    for round in 0..<12 {
      let fetch = scene.underWay.first ?? 0
      scene.begin(fetch)
      if round % 3 == 0 { scene.give(scene.bytes(of: fetch).prefix(2.kib), in: fetch) }
      scene.end(fetch, .failed)
      guard scene.underWay.isEmpty else { continue }
      pauses += 1
      #expect((scene.state.nextWake(after: scene.now) ?? .zero) - scene.now <= .seconds(1))
      scene.pass(.seconds(1))
    }

    #expect(pauses == 8)
    #expect(scene.state.waitingCount == 1)
  }

  @Test mutating func completeAnswersThatTheStoreLosesAreNoProgress() {
    let now = scene.now
    for number in (1...8).map(FetchID.init(_:)) {
      #expect(scene.underWay == [number])
      scene.begin(number)
      let blocks = (0..<firstFetch / 64.kib).map { BlockIndex($0) }
      scene.event { $0.arrived(0..<firstFetch, in: number, displacing: blocks, at: now) }
      scene.end(number, .complete)
      scene.pass(.milliseconds(4500))
    }

    #expect(scene.state.waitingCount == 0)
    #expect(scene.requests.count <= 16)
  }

  @Test mutating func whatOthersGetDoesNotHurryWhoIsInTrouble() {
    scene.end(1, .failed)
    let wake = scene.state.nextWake(after: scene.now)
    scene.read(30.mib..<31.mib, by: scene.state.opened())
    scene.begin(2)
    scene.give(30.mib..<31.mib, in: 2)
    scene.end(2, .complete)

    #expect(scene.requests.filter { $0.lowerBound == 0 }.count == 1)
    #expect(scene.state.nextWake(after: scene.now) == wake)
  }

  @Test mutating func bytesThatComeWhereTroubleWasEndItForAll() {
    scene.read(20.mib..<20.mib + 4.kib, by: scene.state.opened())
    scene.end(1, .failed)
    scene.end(2, .failed)  // both wait; the whole file is in backoff
    scene.read(10.mib..<10.mib + 4.kib, by: handle)
    #expect(!scene.state.isFetching)
    scene.pass(.seconds(1))
    scene.end(scene.underWay[0], .failed)
    let fetch = scene.underWay[0]
    scene.begin(fetch)
    let actions = scene.give(scene.bytes(of: fetch), in: fetch)

    #expect(actions.contains { $0.isFetch })
    #expect(scene.state.trouble.failing == nil)
  }

  // MARK: An address that may have run out

  @Test mutating func theFeedIsAskedOnceAndTheOriginMeanwhile() {
    #expect(scene.end(1, .mayBeGone) == [.renew])
    scene.pass(.seconds(1))
    #expect(scene.underWay == [2])
    #expect(scene.end(2, .mayBeGone) == [])
    let now = scene.now
    #expect(
      scene.event { $0.renewed(changed: true, at: now) } == [.fetch(3, 0..<firstFetch, .demand)])
    // It was answered, so it is asked again.
    #expect(scene.end(3, .mayBeGone) == [.renew])
  }

  @Test mutating func withoutAnotherAddressItIsAPassingFault() {
    scene.end(1, .mayBeGone)
    let now = scene.now
    #expect(scene.event { $0.renewed(changed: false, at: now) } == [])
    #expect(scene.state.waitingCount == 1)
    scene.pass(.seconds(1))

    #expect(scene.underWay == [2])
  }

  @Test mutating func oneThatIsSurelyGoneWaitsForTheFeedThatIsAskedAlready() {
    scene.end(1, .mayBeGone)
    scene.pass(.seconds(1))
    #expect(scene.end(2, .gone) == [])
    let now = scene.now

    #expect(scene.event { $0.renewed(changed: false, at: now) } == [.fail(1, .unreachable)])
  }

  // MARK: The end

  @Test mutating func atTheEndEveryoneIsToldAndNothingIsAsked() {
    #expect(scene.event { $0.ended() } == [.fail(1, .ended), .cancel(1)])
    let late = scene.read(0..<1, by: handle)
    #expect(late.actions == [.fail(late.wait, .ended)])
    let now = scene.now
    #expect(scene.event { $0.wantsProof(as: 99, at: now) } == [.fail(99, .ended)])
    #expect(scene.event { $0.renewed(changed: true, at: now) } == [])
    #expect(scene.end(1, .failed) == [])
  }

  @Test mutating func whatFailedIsForgottenInTime() {
    for _ in 0..<100 {
      scene.read(0..<1, by: handle)
      scene.pass(.seconds(61))
    }

    #expect(scene.state.trouble.failures.count == 1)
    #expect(scene.state.waiting.isEmpty)
  }
}

extension Scene {
  /// Ends `fetch` with a server error, and lets the longest backoff pass.
  fileprivate mutating func failAndPass(_ fetch: FetchID) -> [FillState.Action] {
    let actions = end(fetch, .failed)
    pass(.milliseconds(4500))
    return actions
  }
}

extension FillState.Action {
  fileprivate var isFetch: Bool {
    if case .fetch = self { true } else { false }
  }
}
