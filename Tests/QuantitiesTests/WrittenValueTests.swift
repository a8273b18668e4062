import Testing

@testable import Quantities

/// The grammar of sizes, rates and times is one, wherever the user writes them.
struct WrittenValueTests {
  @Test(
    arguments: [
      ("0", 0), ("500", 500), ("500B", 500), ("1k", 1024), ("1K", 1024), ("1KiB", 1024),
      ("1Ki", 1024), ("1kB", 1000), ("20G", 20 << 30), ("20GiB", 20 << 30), ("20 GiB", 20 << 30),
      ("20GB", 20_000_000_000), ("1.5G", 3 << 29), ("1.5 MB", 1_500_000), ("0.5K", 512),
      ("8388607T", 8_388_607 << 40), ("1P", 1 << 50), ("9007199254740993", 9_007_199_254_740_993),
    ] as [(String, Int)])
  func aNumberOfBytesIsReadAsDuAndDdWriteIt(text: String, bytes: Int) {
    #expect(ByteCount(parsing: text)?.bytes == bytes)
    #expect(Space(parsing: text) == .bytes(ByteCount(bytes)))
    #expect(CacheSize(parsing: text) == .limited(.bytes(ByteCount(bytes))))
    let rate = Rate(parsing: text)
    #expect(rate == (bytes == 0 ? .unlimited : .limited(ByteCount(bytes))))
    #expect(Rate(parsing: text + "/s") == rate)
  }

  @Test(
    arguments: [
      "", " ", "K", "-1", "+1", "1e3", "1.", ".5", "1..5", "1.2.3", "1,5G", "0x10", "1 000", "1  K",
      "1K ", " 1K", "1Q", "1KK", "1KBB", "1ib", "١K", "1\u{1B}K", "9999999T", "9223372036854775808",
      "99999999999999999999999", "nan", "inf", "1K/m",
    ])
  func whatIsNoNumberOfBytesIsRefused(text: String) {
    #expect(ByteCount(parsing: text) == nil)
    #expect(Space(parsing: text) == nil)
    #expect(CacheSize(parsing: text) == nil)
    #expect(Rate(parsing: text) == nil)
  }

  @Test(
    arguments: [("5%", 5), ("10 %", 10), ("2.5%", 2.5), ("0%", 0), ("100%", 100)]
      as [(String, Double)])
  func aShareOfTheDiskIsASpace(text: String, percent: Double) {
    #expect(Space(parsing: text) == .percent(percent))
    #expect(CacheSize(parsing: text)?.bytes { 1000 } == Int(percent * 10))
    #expect(Rate(parsing: text) == nil)
    #expect(Space(parsing: Space.percent(percent).text) == .percent(percent))
  }

  @Test(arguments: ["101%", "%", "-5%", "5%%", "5 percent"])
  func whatIsNoShareIsRefused(text: String) {
    #expect(Space(parsing: text) == nil)
  }

  @Test(arguments: ["off", "OFF", "none", "unlimited", "Unlimited"])
  func oneWordLiftsEveryLimit(word: String) {
    #expect(CacheSize(parsing: word) == .unlimited)
    #expect(Rate(parsing: word) == .unlimited)
  }

  @Test func whatCommandsSendEveryVersionReads() {
    #expect(Rate(parsing: "1.5M")?.text == "1572864" && Rate(parsing: "none")?.text == "off")
  }

  @Test(
    arguments: [
      ("90", 90), ("2.5", 2.5), ("90s", 90), ("90 s", 90), ("5m", 300), ("5 min", 300),
      ("12h", 43_200),
      ("30d", 2_592_000), ("4w", 2_419_200), ("1h30m", 5400), ("1h 30m", 5400), ("1.5h", 5400),
      ("1d2h3m4s", 93_784), ("1 min 5 s", 65), ("5M", 300),
    ] as [(String, Double)])
  func aTimeIsReadWithItsUnits(text: String, seconds: Double) {
    #expect(TimeSpan(parsing: text)?.seconds == seconds)
    #expect(TimeSpan(parsing: text)?.isBare == (Double(text) != nil))
  }

  @Test(
    arguments: [
      "", " ", "s", "m5", "1h30", "30m1h", "1m1m", "-5m", "5 m ", " 5m", "1y", "5mm", "1.5.h",
      "1e3s",
      "soon", "99999999999999999w", "1:30",
    ])
  func whatIsNoTimeIsRefused(text: String) {
    #expect(TimeSpan(parsing: text) == nil)
  }
}
