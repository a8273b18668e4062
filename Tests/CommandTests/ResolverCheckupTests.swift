import FeedReading
import Resolving
import Testing

@testable import FeedMount

/// The finding of `feedfs doctor` about the first page of a feed.
@Suite(.timeLimit(.minutes(1)))
struct ResolverCheckupTests {
  @Test(arguments: [
    ("1.m3u8", true, Finding.Grade.ok, "leads to a stream that becomes a file, found in 7 ms"),
    ("1.m3u8", false, Finding.Grade.bad, "; --streams on makes a file of them"),
    ("1.mp4", true, Finding.Grade.ok, "leads to a file (mp4), found in 7 ms"),
    ("1.mp4", false, Finding.Grade.ok, "leads to a file (mp4), found in 7 ms"),
  ])
  func aPageIsJudgedByWhatAMountWouldRead(
    name: String, streams: Bool, grade: Finding.Grade, words: String
  ) {
    var format = PageFormat(url: "https://v.example/\(name)")
    format.isStream = name.hasSuffix("m3u8")
    var media = PageMedia()
    media.formats = [format]
    var choice = MediaChoice()
    choice.streams = streams

    let finding = ResolverCheckup.finding(.media(media), choice, 7)

    #expect(finding.grade == grade)
    #expect(finding.finding.hasSuffix(words))
  }
}
