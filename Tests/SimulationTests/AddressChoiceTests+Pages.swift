import FeedReading
import Streams
import Testing

@testable import FeedMount
@testable import HTTP
@testable import Resolving

/// The rules by which the format of a web page is chosen.
extension AddressChoiceTests {
  @Test func aPageIsAskedForWhoeverOpensTheFile() {
    var choice = Self.page(proved: true)
    choice.formats.asker = .player
    choice.formats.mark = "720"
    let question = PageQuestion(page: "page", asker: .player, mark: "720", known: Self.version)
    #expect(choice.begin(besides: [:]) == .ask(question))
    #expect(choice.begin(besides: ["page": "no media"]) == .refuse)
    #expect(choice.trouble == "no media")
  }

  @Test func theBestFormatIsReadThatIsNotRefused() {
    var choice = Self.page([])
    let formats = ["a", "b"].map { PageFormat(url: $0) }
    let outcome = Resolver.Outcome.found(PageMedia(), formats: formats, stream: nil, isNews: true)
    let (refusal, news) = choice.take(outcome, of: "page")
    guard refusal == nil, case .facts? = news else {
      Issue.record("no news")
      return
    }
    #expect(choice.begin(after: outcome, besides: ["a": "why"]) == file("b"))
    #expect(choice.place.url == "b" && choice.url == "page")
    #expect(choice.questionAnew(insteadOf: nil).refused == "b")
    #expect(choice.begin(after: outcome, besides: ["a": "why", "b": "not"]) == .refuse)
    #expect(choice.trouble == "why" && choice.place.url == "page")
  }

  @Test func aStreamOfThePageComesBeforeItsFormats() {
    let stream = OfferedChoice.playlist(address: "s", headers: [:], begins: nil)
    let outcome = Resolver.Outcome.found(
      PageMedia(), formats: [PageFormat(url: "a")], stream: stream, isNews: false)
    var choice = Self.page()
    #expect(choice.begin(after: outcome, besides: [:]) == .stream(stream, chapters: []))
    #expect(choice.begin(after: outcome, besides: ["s": "why"]) == file("a"))
    choice.streams = nil
    #expect(choice.begin(after: outcome, besides: [:]) == file("a"))
  }

  @Test func aPageWithoutMediaIsRefused() {
    var choice = Self.page()
    let (refusal, news) = choice.take(.failed(.live), of: "page")
    #expect(refusal?.url == "page" && choice.isHopeless)
    guard case .isBroadcast? = news else {
      Issue.record("it is not told that the page is live")
      return
    }
    #expect(choice.begin(after: .failed(.live), besides: [:]) == .refuse)
  }

  @Test func aPageThatIsPostponedSaysUntilWhen() {
    var choice = Self.page()
    #expect(choice.take(.postponed("later", until: 9), of: "page").0 == nil)
    #expect(choice.formats.postponedUntil == 9 && choice.trouble == "later")
    _ = choice.take(.stopped, of: "page")
    #expect(choice.formats.postponedUntil == nil)
    #expect(choice.begin(after: .stopped, besides: [:]) == .stop)
  }

  struct Gone: Sendable {
    var formats = ["a", "b", "c"]
    var refused: [String] = []
    var wasAskedAnew = true
    var isProved = false
    /// The addresses that are gone, in order.
    let gone: [String]
    /// Whether another format is asked after each.
    let leads: [Bool]
  }

  @Test(arguments: [
    Gone(gone: ["a"], leads: [true]), Gone(gone: ["a", "b"], leads: [true, true]),
    Gone(gone: ["a", "b", "c"], leads: [true, true, false]),
    // Two fetches of one address.
    Gone(gone: ["a", "a"], leads: [true, true]),
    // The page is asked anew first.
    Gone(wasAskedAnew: false, gone: ["a", "a"], leads: [false, false]),
    // The proved format stays.
    Gone(isProved: true, gone: ["a"], leads: [false]),
    Gone(refused: ["b"], gone: ["a", "c"], leads: [true, false]),
    Gone(formats: ["a"], gone: ["a"], leads: [false]),
    Gone(formats: [], gone: ["a"], leads: [false]),
    // After the last one all begins anew, with a new question.
    Gone(formats: ["a", "b"], gone: ["a", "b", "a"], leads: [true, false, false]),
  ])
  func aFormatThatIsGoneLeadsToTheNextOfANewAnswer(page: Gone) {
    var choice = Self.page(page.formats, proved: page.isProved)
    choice.renewal.wasAskedAnew = page.wasAskedAnew
    let leads = page.gone.map { url in
      choice.ended(Self.gone, moment(url, refused: page.refused), isDeclined: false).end == nil
    }
    #expect(leads == page.leads)
    #expect(choice.url == "page")
  }
}
