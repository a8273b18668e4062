import Catalog
import Storage
import Testing

@testable import FeedMount
@testable import World

/// The first page of a feed is asked for before anything else is ready.
@Suite(.timeLimit(.minutes(1)))
struct HeadStartTests {
  private let client = ScriptedClient()

  @Test func theFirstPageIsAskedForOnceAndLaterAnew() async throws {
    let choice = FeedChoice("http://o/feed")
    let start = try #require(HeadStart(choice, in: world))
    let page = FeedPage(choice: choice, client: start)

    _ = try? await page.first(unless: PageFacts())
    #expect(client.documents == ["http://o/feed"])
    _ = try? await page.first(unless: PageFacts())
    #expect(client.documents == ["http://o/feed", "http://o/feed"])
  }

  @Test func anotherPageIsAnotherRequest() async throws {
    let choice = FeedChoice("http://o/feed")
    let start = try #require(HeadStart(choice, in: world))

    _ = try? await FeedPage(choice: choice, client: start).get("http://o/2")
    _ = try? await FeedPage(choice: choice, client: start).first(unless: PageFacts())
    #expect(client.documents.sorted() == ["http://o/2", "http://o/feed"])
  }

  @Test func aFeedThatIsAFileIsAskedForNowhere() {
    #expect(HeadStart(FeedChoice("/tmp/feed.xml"), in: world) == nil)
    #expect(client.documents.isEmpty)
  }

  private var world: World {
    World(
      timekeeper: { SystemTimekeeper($0) }, wall: .real, tasks: .real,
      makeJobs: { DispatchJobs($0, qos: $1) }, network: client, disk: .real, kernel: KernelLink(),
      random: { 0 })
  }
}
