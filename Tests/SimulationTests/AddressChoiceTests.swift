import Blocks
import FeedReading
import Filling
import Streams
import Testing

@testable import FeedMount
@testable import HTTP
@testable import Resolving

/// The rules by which an address is chosen for the bytes of an entry.
@Suite(.timeLimit(.minutes(1)))
struct AddressChoiceTests {
  static let version = Representation(length: 100, validator: .none)
  static let verdict = TransferEnd.refused(.multipart)
  static let gone = TransferEnd.gone(status: 404)

  var choice = AddressChoice(
    of: Candidates(["http://o/1", "http://o/2", "http://o/3"], current: "http://o/1"),
    streams: StreamAddresses())

  static func page(_ formats: [String] = ["a", "b", "c"], proved: Bool = false)
    -> AddressChoice
  {
    var choice = AddressChoice(
      of: Candidates(["page"], current: "page"), isPage: true, streams: StreamAddresses(),
      proof: VersionProof(proved ? version : nil))
    choice.formats.offers = formats.map { PageFormat(url: $0) }
    return choice
  }

  func answer(whole: Bool = false, from offset: Int = 0) -> AcceptedAnswer {
    AcceptedAnswer(
      representation: Self.version, bytes: offset..<100, isWhole: whole, contentType: "video/mp4",
      freshFor: nil, finalURL: "http://o/1")
  }

  func moment(
    _ url: String, isWanted: Bool = true, refused: [String] = [], now: Int = 1000
  ) -> AddressChoice.Moment {
    AddressChoice.Moment(
      url: url, isWanted: isWanted,
      refused: Dictionary(uniqueKeysWithValues: refused.map { ($0, "refused") }), now: now)
  }

  func file(_ url: String) -> AddressChoice.Start { .file(url: url, fields: []) }

  // MARK: Candidates

  @Test func theBestCandidateThatIsNotRefusedIsAsked() {
    var choice = choice
    #expect(choice.begin(besides: [:]) == file("http://o/1"))
    #expect(choice.begin(besides: ["http://o/1": "why"]) == file("http://o/2"))
    // It is not asked again for a refusal that has passed.
    #expect(choice.begin(besides: [:]) == file("http://o/2"))
  }

  @Test func whereAllAreRefusedTheReasonIsKeptAndAllBeginsAnew() {
    var choice = choice
    let refused = ["http://o/1": "one", "http://o/2": "two", "http://o/3": "three"]
    #expect(choice.begin(besides: refused) == .refuse)
    #expect(choice.trouble == "one" && choice.isHopeless)
    #expect(choice.begin(besides: ["http://o/1": "one"]) == file("http://o/2"))
  }

  @Test func aProvedCandidateIsAskedThoughItIsRefused() {
    var choice = choice
    _ = choice.judge(answer(from: 1), at: "http://o/1", besides: [:])
    #expect(choice.begin(besides: ["http://o/1": "why"]) == file("http://o/1"))
    #expect(choice.takeNext(besides: [:]) == false)
  }

  @Test func aVerdictLeadsToTheNextCandidateUntilNoneIsLeft() {
    var choice = choice
    for url in ["http://o/1", "http://o/2"] {
      let ending = choice.ended(Self.verdict, moment(url), isDeclined: false)
      #expect(ending.end == nil && ending.refusal?.url == url)
    }
    #expect(choice.url == "http://o/3" && choice.isHopeless)
    let last = choice.ended(Self.verdict, moment("http://o/3"), isDeclined: false)
    #expect(last.end == .blocked && last.refusal?.time == Refusal.memory)
    #expect(choice.url == "http://o/1")
  }

  @Test func aCandidateThatIsRefusedMeanwhileIsSkipped() {
    var choice = choice
    let moment = moment("http://o/1", refused: ["http://o/2"])
    #expect(choice.ended(Self.verdict, moment, isDeclined: false).end == nil)
    #expect(choice.url == "http://o/3")
  }

  @Test func aCancelledFetchStartsNothingAgain() {
    var choice = choice
    let ending = choice.ended(
      Self.verdict, moment("http://o/1", isWanted: false), isDeclined: false)
    #expect(ending.end == .blocked)
  }

  @Test func aLiveStreamIsRefusedAndTold() {
    var choice = choice
    let ending = choice.ended(
      .refused(.live("it has no end")), moment("http://o/1"), isDeclined: false)
    #expect(ending.isBroadcast && ending.refusal != nil)
  }

  @Test func newAddressesOfTheFeedBeginWithTheOneThatIsPlayed() {
    var choice = choice
    _ = choice.begin(besides: ["http://o/1": "why"])
    let all = choice.candidates.all
    #expect(choice.moved(to: all, from: "http://o/3", StreamAddresses()) == false)
    #expect(choice.url == "http://o/2")
    #expect(choice.moved(to: ["a", "b"], from: "b", StreamAddresses()) == true)
    #expect(choice.begin(besides: [:]) == file("b"))
    #expect(choice.begin(besides: ["b": "why"]) == file("a"))
  }

  // MARK: The last choices

  @Test func oneWithoutRangesIsTakenWhereAllOthersAreTried() {
    var choice = choice
    let whole = answer(whole: true)
    for url in ["http://o/1", "http://o/2", "http://o/3"] {
      #expect(choice.url == url)
      if case .taken = choice.judge(whole, at: url, besides: [:]) {
        Issue.record("\(url) was taken")
      }
    }
    #expect(choice.url == "http://o/1")
    guard case .taken(let news) = choice.judge(whole, at: "http://o/1", besides: [:]) else {
      Issue.record("the last choice was declined")
      return
    }
    #expect(news.url == "http://o/1" && news.answer == whole)
  }

  @Test func oneCandidateIsTakenWithoutRangesAndWithoutALength() {
    for isGrowing in [false, true] {
      var choice = AddressChoice(of: Candidates(["a"], current: "a"))
      if isGrowing {
        #expect(choice.grows(Self.facts, at: "a", besides: [:]) == true)
      } else if case .declined = choice.judge(answer(whole: true), at: "a", besides: [:]) {
        Issue.record("the only candidate was declined")
      }
      #expect(!choice.isUnproved)
    }
  }

  static let facts = AnswerFacts(contentType: "video/mp4", freshFor: nil, finalURL: "a")

  @Test func oneWithoutALengthComesBehindThoseWithoutRanges() {
    for isThere in [true, false] {
      var choice = AddressChoice(of: Candidates(["a", "b"], current: "a"))
      #expect(choice.grows(Self.facts, at: "a", besides: [:]) == false)
      if isThere, case .declined = choice.judge(answer(whole: true), at: "b", besides: [:]) {
        Issue.record("a is worse than b")
      }
      guard !isThere else { continue }
      #expect(choice.ended(Self.verdict, moment("b"), isDeclined: false).end == nil)
      #expect(choice.url == "a")
      #expect(choice.grows(Self.facts, at: "a", besides: [:]) == true)
    }
  }

  // MARK: Films

  @Test(arguments: [false, true], [nil, "http://o/9"])
  func anAnswerOfAFileIsNotTakenOnceAFilmIsThere(isProved: Bool, moved: String?) {
    var choice = choice
    let url = "http://o/1"
    let isFilm = choice.becomesFilm(at: url)
    #expect(isFilm)
    if isProved {
      let tag = "\"s3-\(String(repeating: "0", count: 32))\""
      let film = Representation(length: 200, validator: .entityTag(tag))
      let answer = AcceptedAnswer(film, contentType: "video/webm", at: url)
      let news = choice.take(film: answer, at: url, mark: "")
      #expect(news != nil)
    }
    if let moved { _ = choice.moved(to: [moved], from: moved, StreamAddresses()) }
    guard case .declined = choice.judge(answer(), at: url, besides: [:]) else {
      Issue.record("the file was taken")
      return
    }
    let news = choice.take(undecided: answer(), at: url)
    #expect(news == nil)
  }

  // MARK: Addresses that have run out

  @Test func nothingAtAnAddressAsksTheFeedUnlessItHasGivenANewerOne() {
    var choice = choice
    #expect(choice.ended(Self.gone, moment("http://o/1"), isDeclined: false).end == .gone)
    #expect(choice.renewal.isSurelyGone && choice.isHopeless)
    _ = choice.moved(to: ["http://o/9"], from: "http://o/9", StreamAddresses())
    #expect(choice.ended(Self.gone, moment("http://o/1"), isDeclined: false).end == nil)
  }

  @Test func anAddressThatStatesItsExpiryIsRenewedOnce() {
    let url = "http://o/1?Expires=900"
    var choice = AddressChoice(of: Candidates([url], current: url))
    let page = TransferEnd.refused(.notMedia(contentType: "text/html"))
    #expect(choice.ended(page, moment(url), isDeclined: false).end == .gone)
    #expect(choice.renewal.begin(isPage: false) == false)
    #expect(choice.ended(page, moment(url), isDeclined: false).end == .blocked)
  }

  @Test func whatWasReadBeforeMayBeGone() {
    var choice = choice
    _ = choice.judge(answer(from: 1), at: "http://o/1", besides: [:])
    let page = TransferEnd.refused(.notMedia(contentType: "text/html"))
    let ending = choice.ended(page, moment("http://o/1"), isDeclined: false)
    #expect(ending.end == .mayBeGone && ending.refusal == nil && !choice.isHopeless)
  }

  @Test func aRenewalCountsAsOneOfAnAddressThatHasWorkedAndIsGone() {
    var choice = choice
    #expect(choice.renewal.begin(isPage: false) == false)
    _ = choice.judge(answer(from: 1), at: "http://o/1", besides: [:])
    _ = choice.ended(Self.gone, moment("http://o/1"), isDeclined: false)
    #expect(choice.renewal.begin(isPage: false) == true)
    #expect(choice.renewal.begin(isPage: false) == false)
  }

  // MARK: Versions

  @Test func theFirstAnswerProvesTheVersionAndEndsTheTrouble() {
    var choice = choice
    choice.note("slow")
    guard case .taken(let news) = choice.judge(answer(from: 1), at: "http://o/1", besides: [:])
    else {
      Issue.record("the answer was not taken")
      return
    }
    #expect(choice.proof.expected == Self.version && choice.trouble == nil && !choice.isHopeless)
    #expect(news == HeadNews(answer: answer(from: 1), date: nil, url: "http://o/1", format: nil))
  }

  @Test func threeAnswersWithoutALengthInARowAreAnotherVersion() {
    var choice = AddressChoice(
      of: Candidates(["a"], current: "a"), proof: VersionProof(Self.version))
    let end = TransferEnd.refused(.noLength)
    #expect(choice.ended(end, moment("a"), isDeclined: false).end == .failed)
    #expect(choice.ended(end, moment("a"), isDeclined: false).end == .failed)
    _ = choice.judge(answer(from: 1), at: "a", besides: [:])
    let ends = (0..<3).map { _ in choice.ended(end, moment("a"), isDeclined: false).end }
    #expect(ends == [.failed, .failed, .changed])
  }

  @Test func aBodyWithoutLengthIsProvedAtItsEndAndToldOnce() {
    var choice = AddressChoice(of: Candidates(["a"], current: "a"))
    #expect(choice.grows(Self.facts, at: "a", besides: [:]) == true)
    #expect(choice.proved(Self.version)?.answer.representation == Self.version)
    #expect(choice.proved(Self.version) == nil)
  }

  @Test func tagsThatDoNotCountAreToldOfTheOriginThatIsAsked() {
    var choice = Self.page()
    var format = PageFormat(url: "https://media.example/a")
    format.headers = ["Referer": "https://p.example"]
    _ = choice.begin(
      after: .found(PageMedia(), formats: [format], stream: nil, isNews: false),
      besides: [:])
    guard case .untagged(let origin, nil)? = choice.ignoreTags() else {
      Issue.record("no news")
      return
    }
    #expect(origin == "https://media.example:443")
    #expect(choice.proof.marks.ignoresTags(at: "https://media.example/b"))
    #expect(!choice.proof.marks.ignoresTags(at: "https://other.example/b"))
  }

  @Test func aSampleIsAskedForAgainWhereTheAddressHasChanged() {
    var choice = choice
    #expect(choice.ended(sample: Self.gone, at: "http://o/1") == .gone)
    #expect(choice.ended(sample: Self.gone, at: "http://o/0") == nil)
    #expect(choice.ended(sample: .changed, at: "http://o/0") == .changed)
  }
}
