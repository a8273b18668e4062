import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(1))) struct FlushLedgerTests {
  @Test func theFirstByteStartsTheDelayAndTheLaterOnesDoNot() {
    var ledger = FlushLedger(mostBytes: 100)
    #expect(ledger.wrote(1) == .arm)
    #expect(ledger.wrote(1) == .nothing)
    ledger.elapsed()
    ledger.began()
    #expect(ledger.wrote(1) == .arm)
  }

  @Test func muchIsFlushedAtOnceAndOnlyOnce() {
    var ledger = FlushLedger(mostBytes: 100)
    #expect(ledger.wrote(60) == .arm)
    #expect(ledger.wrote(60) == .flush)
    #expect(ledger.wrote(60) == .nothing)
    ledger.began()
    #expect(ledger.wrote(60) == .nothing)
    #expect(ledger.wrote(60) == .flush)
  }
}
