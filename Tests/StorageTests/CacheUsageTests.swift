import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(1)))
struct CacheUsageTests {
  @Test func nothingIsGrantedBeforeItWasCounted() {
    var usage = CacheUsage(limit: 1 << 30)
    #expect(grants(1, &usage) == false)
    usage.counted(0)
    #expect(grants(1, &usage))
  }

  @Test func whatIsGrantedIsNeverAboveTheLimit() {
    var usage = CacheUsage(limit: 1_000)
    usage.counted(400)
    var granted = 0
    while usage.grant(70) { granted += 70 }

    #expect(granted == 560)
    #expect(grants(40, &usage))
    #expect(grants(1, &usage) == false)
  }

  @Test func someRoomIsKeptFreeInAdvance() {
    var usage = CacheUsage(limit: 100 << 20)
    usage.counted(80 << 20)
    #expect(!usage.isTight)
    usage.counted(90 << 20)
    #expect(usage.isTight)
    #expect(usage.excess == 15 << 20)
  }

  @Test func itIsCountedAnewNowAndThen() {
    var usage = CacheUsage(limit: 100 << 20)
    usage.counted(0)
    #expect(grants(12 << 20, &usage))
    #expect(!usage.isStale)
    #expect(grants(1 << 20, &usage))
    #expect(usage.isStale)
    usage.counted(13 << 20)
    #expect(!usage.isStale)
  }

  @Test func aLimitThatWasLoweredHasAnExcess() {
    var usage = CacheUsage(limit: 0)
    usage.counted(5)
    #expect(grants(0, &usage) == false)
    #expect(usage.isTight && usage.excess == 5)
  }

  private func grants(_ bytes: Int, _ usage: inout CacheUsage) -> Bool {
    usage.grant(bytes)
  }
}
