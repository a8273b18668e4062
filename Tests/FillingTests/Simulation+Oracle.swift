import Blocks
import Locks
import TestSupport

@testable import Filling

/// The checks of a simulation, during its life and at its end.
extension Simulation {
  func check() {
    for index in readers.indices { settle(index) }
    let (fill, now) = (filler.snapshot, time.now)
    for (wait, waiting) in fill.waiting {
      if !fill.isLookedAfter(waiting, at: now) {
        world.complain("wait \(wait) for \(String(describing: waiting.bytes)) is forgotten")
      }
    }
    if let deadline = fill.waiting.values.map(\.deadline).min(),
      (time.nextCall ?? .seconds(1 << 40)) > deadline
    {
      world.complain("nobody wakes for the deadline at \(deadline)")
    }
    if readers.isEmpty && fill.waiting.isEmpty { expectRest(of: fill) }
    if origin.requests.count > 8 * causes + 8 {
      world.complain("\(origin.requests.count) requests for \(causes) causes")
    }
    if time.armed > 200 { world.complain("\(time.armed) calls are armed") }
  }

  /// Checks the answer to a reader's read, and lets the reader continue.
  func settle(_ index: Int) {
    guard let read = readers[index].read else { return }
    let answers = read.receiver.answers
    guard let answer = answers.first else {
      if time.now - read.start > .seconds(60) { world.complain("\(read.range) waits for ever") }
      return
    }
    if answers.count > 1 { world.complain("\(read.range) was answered \(answers)") }
    if !isFitting(answer, to: read, by: readers[index]) {
      world.complain("\(read.range) was answered \(answer)")
    }
    readers[index].read = nil
  }

  private func isFitting(
    _ answer: RecordingReceiver.Answer, to read: Read, by reader: Reader
  ) -> Bool {
    switch answer {
    case .bytes(let count): count == read.range.clamped(to: 0..<file.length).count
    case .wrongBytes, .proved, .grows: false
    case .failed(.changed): world.isStale
    case .failed(.unreachable): true
    case .failed(.interrupted): read.isInterrupted
    case .failed(.crowded): !read.isWelcome
    case .failed(.withheld): reader.style == .scanning && read.range.upperBound > 1.mib
    case .failed(.ended), .failed(.offline), .failed(.diskHangs): false
    }
  }

  /// Without readers, only fetches that are nearly done may still run, and those of the head for a
  /// moment.
  private func expectRest(of fill: FillState) {
    let mayReopen = fill.readers.reopeningEnd.map { $0 > time.now } ?? false
    for (name, fetch) in fill.fetches
    where !fetch.isCheck && (!fetch.began || fetch.rest.count > fill.rules.seeks.shortRest)
      && !(mayReopen && fetch.bytes.upperBound <= fill.rules.maxHeadFetch)
    {
      world.complain("fetch \(name) of \(fetch.bytes) runs for nobody")
    }
  }

  // MARK: The end

  /// Ends all faults: waiting reads must continue on their own, and every byte must be readable.
  func clearUp() {
    let hasChanged = weather.hasChanged
    weather = .fair
    weather.hasChanged = hasChanged
    atMost(20_000, while: readers.contains { $0.read != nil }, do: originAnswersOrTimePasses)
    time.advance(by: .seconds(20))  // the longest Retry-After
    readers.append(Reader(handle: filler.opened(isScanner: false), style: .sequential))
    for start in stride(from: 0, to: file.length, by: 128 << 10) where world.complaint == nil {
      readAtLast(start..<start + 128 << 10)
    }
  }

  private func readAtLast(_ range: ByteRange) {
    let index = readers.count - 1
    let start = time.now
    read(range, by: index, mayFail: false)
    guard let receiver = readers[index].read?.receiver else { return }
    atMost(2_000, while: receiver.answers.isEmpty, do: originAnswersOrTimePasses)
    if time.now - start > .seconds(5) { world.complain("\(range) took \(time.now - start)") }
    if receiver.answers.isEmpty { world.complain("\(range) is never answered") }
    if case .failed(let error)? = receiver.answers.first, !world.isStale {
      world.complain("\(range) failed in fair weather: \(error)")
    }
    check()
  }

  private func originAnswersOrTimePasses() {
    if world.wantsAddress { answerTheCall(changed: true) }
    let isIdle = origin.underWay.isEmpty && origin.sampled.isEmpty
    if isIdle { time.advance(by: .milliseconds(100)) } else { originActs() }
    check()
  }

  private func atMost(_ steps: Int, while goesOn: @autoclosure () -> Bool, do step: () -> Void) {
    var done = 0
    while done < steps, world.complaint == nil, goesOn() {
      step()
      done += 1
    }
  }

  /// Closes all readers; then nothing may be fetched, and no call may be armed.
  func leave() {
    for reader in readers { filler.closed(reader.handle) }
    readers = []
    check()
    atMost(
      20_000, while: !origin.underWay.isEmpty || !origin.sampled.isEmpty, do: originActs)
    let asked = origin.requests.count
    time.advance(by: .seconds(200))
    if origin.requests.count > asked { world.complain("something was asked for nobody") }
    if filler.snapshot.isFetching { world.complain("a fetch never ended") }
    if time.armed > 0 { world.complain("\(time.armed) calls are armed for nobody") }
    let isClean = filler.state.withLock { state in
      state.reserved.isEmpty && state.waiters.isEmpty && state.outbox.isEmpty
    }
    if !isClean { world.complain("somebody was never answered") }
  }
}
