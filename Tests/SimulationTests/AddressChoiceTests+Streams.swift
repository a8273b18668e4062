import Blocks
import Filling
import Streams
import Testing

@testable import FeedMount
@testable import HTTP
@testable import StreamFiles

/// The rules by which files and streams are told apart.
extension AddressChoiceTests {
  @Test func aPlaylistInThePlaceOfAFileIsReadAsAStreamFromThenOn() {
    var choice = choice
    let end = TransferEnd.refused(.list(.hls))
    #expect(choice.ended(end, moment("http://o/1"), isDeclined: false) == AddressChoice.Ending())
    #expect(
      choice.begin(besides: [:])
        == .stream(.playlist(address: "http://o/1", headers: [:], begins: nil), chapters: []))
    // An answer of the file comes too late.
    guard case .declined = choice.judge(answer(), at: "http://o/1", besides: [:]) else {
      Issue.record("the file was taken")
      return
    }
  }

  @Test func aPlaylistIsRefusedWhereStreamsAreNoFiles() {
    var choice = AddressChoice(of: Candidates(["a"], current: "a"))
    let ending = choice.ended(.refused(.list(.hls)), moment("a"), isDeclined: false)
    #expect(ending.end == .blocked && ending.refusal != nil)
  }

  @Test func theFirstBytesOfAFileAreHeldUntilTheyTellWhatItIs() {
    var choice = choice
    guard case .undecided = choice.judge(answer(), at: "http://o/1", besides: [:]) else {
      Issue.record("the answer was not held")
      return
    }
    #expect(choice.isUnproved)
    #expect(choice.becomesFilm(at: "http://o/1") == true)
    #expect(choice.take(undecided: answer(), at: "http://o/1") == nil)
    #expect(
      choice.begin(besides: [:]) == .stream(.source(StreamSource(file: "http://o/1")), chapters: [])
    )
  }

  @Test func aFileOfWhichNoFilmCanBeMadeIsReadAsItIs() {
    var choice = choice
    #expect(choice.becomesFilm(at: "http://o/1") == true)
    let trouble = PieceError(.blocked, "no film", isVerdict: true)
    let ending = choice.ended(trouble, moment("http://o/1"))
    #expect(ending.end == nil && ending.refusal == nil)
    #expect(ending.leaving == .one(at: "http://o/1"))
    #expect(choice.begin(besides: [:]) == file("http://o/1"))
    // It does not become a film again.
    #expect(choice.becomesFilm(at: "http://o/1") == false)
    #expect(choice.take(undecided: answer(), at: "http://o/1") != nil)
    #expect(choice.take(film: answer(), at: "http://o/1", mark: "720") == nil)
  }

  @Test func aStreamThatIsLiveIsRefusedForAShortTime() {
    var choice = choice
    var trouble = PieceError(.blocked, "it is live", isVerdict: true)
    trouble.isBroadcast = true
    let ending = choice.ended(trouble, moment("http://o/1"))
    #expect(ending.end == nil && ending.isBroadcast && ending.leaving == .any)
    #expect(ending.refusal?.time == Refusal.liveMemory)
    #expect(choice.url == "http://o/2")
  }

  @Test func aLoginPageSaysNothingAboutAStreamThatWasRead() {
    var choice = choice
    #expect(choice.take(film: answer(), at: "http://o/1", mark: "720") != nil)
    let trouble = PieceError(.blocked, "a page", isVerdict: true)
    let ending = choice.ended(trouble, moment("http://o/1"))
    #expect(ending.end == .failed && ending.refusal == nil && ending.leaving == .nothing)
  }

  @Test func anotherFilmThanTheProvedOneIsNotTaken() {
    var choice = AddressChoice(
      of: Candidates(["a"], current: "a"), streams: StreamAddresses(),
      proof: VersionProof(Representation(length: 5, validator: .none)))
    #expect(choice.take(film: answer(), at: "a", mark: "720") == nil)
  }
}
