import Testing

@testable import FeedReading

@Suite(.timeLimit(.minutes(1)))
struct FeedDateTests {
  /// 2004-01-01 19:48:21 UTC
  static let newYear = 1_072_986_501

  @Test(arguments: [
    "Thu, 01 Jan 2004 19:48:21 GMT", "Thu, 01 Jan 04 19:48:21 GMT", "01 Jan 2004 19:48:21 UT",
    "Thursday, 01 January 2004 19:48:21 Z", "Thu, 1 January 2004 19:48:21",
    "Do, 01 Jan 2004 19:48:21",
    "  Thu,\n 01 Jan 2004 19:48:21 GMT ", "Thu,01 Jan 2004 19:48:21 +0000",
    "Thu, 01 Jan 2004 20:48:21 +0100", "Thu, 01 Jan 2004 20:48:21 +01:00",
    "Thu, 01 Jan 2004 20:48:21 CET", "Thu, 01 Jan 2004 21:48:21 CEST",
    "Thu, 01 Jan 2004 14:48:21 EST", "Thu, 01 Jan 2004 14:48:21 -0500 (EST)",
    "Thu, 01 Jan 2004 11:48:21 PST", "Thu, 01-Jan-04 19:48:21 GMT",
    "Thu, 01 Jan 2004 19:48:21 Etc/GMT", "Thu, 01 Jan 2004 20:48:21 GMT+0100",
    "Thu Jan 01 2004 20:48:21 GMT+0100 (Central European Standard Time)",
    "Thu Jan  1 19:48:21 2004", "Thu Jan  1 11:48:21 PST 2004", "Jan 1, 2004 7:48:21 PM",
    "January 1st, 2004 7:48:21pm GMT", "mar, 01 Jan 2004 19:48:21 GMT",
    "2004-01-01T19:48:21Z", "2004-01-01t19:48:21z", "2004-01-01 19:48:21",
    "2004-01-01T20:48:21+01:00", "2004-01-01T20:48:21+0100", "2004-01-01T20:48:21+01",
    "2004-01-01T19:48:21.994Z", "2004-01-01T19:48:21,5Z", "2004-01-01 11:48:21 -0800",
    "20040101T194821Z", "2004-001T19:48:21Z", "2004/01/01 19:48:21 GMT",
    "2004-01-01 14:48:21 EST", "2004-01-01  19:48:21.0",
    "Thu, 01 Jan, 2004 19:48:21 UTC", "Thu,1 Jan 2004 19:48:21 GMT", "Thu 01 Jan 2004 19:48:21 Z",
    "Thu Jan 01 19:48:21 +0000 2004", "Thu, Jan 1 2004 14:48:21 ET", "1 Jan 2004 15:48:21 AT",
    "Thu, 01 Jan 2004 12:48:21 MST-07:00", "Thu, 01 Jan 2004 19:48:21-0000",
    "Thu, 01 Jan 2004 20:48:21 +01", "Thu, 01 Jan 2004 21:48:21 MEST", "1.1.2004 19:48:21",
    "01-01-2004 19:48:21", "1/1/2004 7:48:21 PM", "1/1/04 7:48:21 p.m. GMT",
    "19:48:21 01.01.2004", "Thu, 2004/01/01 14:48:21 EST", "2004-Jan-01T19:48:21Z",
    "2004-01-01 19:48:21.994 +0000 UTC", "2004-01-01T19:48:21+00:00", "2004-W01-4T19:48:21Z",
    "2004W014T194821Z", "04-01-01T19:48:21Z", "040101T194821Z", "04001T19:48:21Z",
    "2004년 01월 02일  04:48:21", "2004-01-02 오전 4:48:21", "Πεμ, 01 Ιαν 2004 14:48:21 EST",
    "2004-január-01T20:48:21+01:00", "jeu., 1er janvier 2004 20:48:21 +0100",
    "Do, 1. Jänner 2004 20:48:21 MEZ", "jue, 01 ene 2004 19:48:21 GMT",
  ])
  func aDateIsReadHoweverItIsWritten(text: String) {
    #expect(FeedDate.parse(text) == Self.newYear)
  }

  @Test(arguments: [
    ("2004", 1_072_915_200), ("2004-01", 1_072_915_200), ("2004-01-01", 1_072_915_200),
    ("1 Jan 2004", 1_072_915_200), ("Thu, 01 Jan 2004 19:48 GMT", newYear - 21),
    ("2004-01-01T19:48Z", newYear - 21), ("1 Sept 2004", 1_093_996_800),
    ("1 September 2004", 1_093_996_800), ("29 Feb 2000 00:00:00 GMT", 951_782_400),
    ("Fri, 31 Dec 1999 23:59:60 GMT", 946_684_800), ("1999-12-31T24:00:00Z", 946_684_800),
    ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("31 Dec 1969 23:59:59 GMT", -1),
    ("31 Jun 2004 00:00:00 GMT", 1_088_640_000), ("1 Jan 50", -631_152_000),
    ("Jan 1, 2004 12:00 AM", 1_072_915_200), ("Jan 1, 2004 12:00 PM", 1_072_958_400),
    ("Wed, 02 Oct 2002 08:00:00 A", 1_033_545_600), ("-0401", 1_072_915_200),
    ("-04-01", 1_072_915_200), ("2004-W01", 1_072_656_000), ("2009-W53-7", 1_262_476_800),
    ("12/31/2003", 1_072_828_800), ("31/12/2003", 1_072_828_800), ("31.12.03", 1_072_828_800),
    ("mar, 01 abr 2004 19:48:21 GMT", 1_080_848_901), ("2004-02-28T18:14:55-08:00", 1_078_020_895),
    ("11 Ιούλ 2004", 1_089_504_000), ("3 Μαϊ 2004", 1_083_542_400), ("3 mrt 04", 1_078_272_000),
    ("3 März 2004", 1_078_272_000), ("3 août 2004", 1_091_491_200),
    ("Fri, 15 Sep 2006 08:19:53 EDT", 1_158_322_793),
    ("Sat, 01 Jan 0100 00:00:00 GMT", -59_011_459_200),
  ])
  func whatIsMissingOrOddIsFilledIn(text: String, seconds: Int) {
    #expect(FeedDate.parse(text) == seconds)
  }

  @Test(arguments: [
    "", " ", "yesterday", "0000-00-00 00:00:00", "Mon, 01 Jan 0001 00:00:00 +0000",
    "2004-13-01", "2004-01-32", "2004-01-01T25:00:00Z", "2004-01-01T10:60:00Z",
    "Thu, 01 Jan 2004 1:2:3:4 GMT", "Thu, 01 zzz 2004 19:48:21 GMT", "Thu, 01 Jan zz 19:48:21 GMT",
    "Thu, Jan x 2004 19:48:21 GMT", "Thu, 01 Jan 2004 19:48:21 +zz:00",
    "Thu, 01 Jan 2004 19:48:21 +00:zz", "Thu, 99 Jan 2004 19:48:21 GMT",
    "Fri, 31 Dec 9999 23:59:59 -9999", "2004-W54-1", "2004-W01-8", "2004-W", "1.2", "1/2/3/2004",
    "2004-01-01T19:48:61Z", "3 jui 2004", "13/13/2004",
    "Thu, 01 Jan 2004 99:99:99 GMT", "1072986501", "Jan", "32 Jan 2004",
    "99999999999999999999 Jan 2004", "2004-01-01Tjunk",
    String(repeating: "1 Jan 2004 ", count: 1000),
  ])
  func whatIsNoDateIsNone(text: String) {
    #expect(FeedDate.parse(text) == nil)
  }

  @Test(arguments: [(0, "1970-1-1"), (951_782_400, "2000-2-29"), (-1, "1969-12-31")])
  func aDayIsFoundAgain(seconds: Int, day: String) {
    let civil = FeedDate.civil(seconds)
    #expect("\(civil.year)-\(civil.month)-\(civil.day)" == day)
  }

  @Test(arguments: [
    ("3661", 3661.0), ("12.5", 12.5), ("1:01", 61), ("90:00", 5400), ("01:01:01", 3661),
    (" 1:02:03 ", 3723), ("0:00:01.5", 1.5),
  ])
  func aDurationIsReadInEachForm(text: String, seconds: Double) {
    #expect(FeedDuration.parse(text) == seconds)
  }

  @Test(arguments: ["", "0", "00:00:00", "-5", "1:2:3:4", "abc", "1.5:00", "1h", "nan", "1e9"])
  func whatIsNoDurationIsNone(text: String) {
    #expect(FeedDuration.parse(text) == nil)
  }

  @Test(arguments: [(61.0, "1:01"), (3600, "1:00:00"), (5.4, "0:05")])
  func aDurationIsShownAsAClockShowsIt(seconds: Double, text: String) {
    #expect(FeedDuration.clock(seconds) == text)
  }
}
