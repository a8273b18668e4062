import Addresses
import Catalog
import FeedReading
import HTTP
import Host
import SystemPackage
import World

/// Finds out whether a feed and its origins can be read, by asking them.
package struct FeedCheckup: Sendable {
  /// The largest number of entries of a feed that are checked. Each origin is asked for only one of
  /// them.
  private static let maxEntries = 3
  private static let timeout: Duration = .seconds(8)
  private static let originTimeout: Duration = .seconds(4)

  private let choice: FeedChoice
  private let network: NetworkOptions

  /// - Parameter choice: a choice that passes its `check`.
  package init(_ choice: FeedChoice, network: NetworkOptions) {
    self.choice = choice
    var network = network
    // The user of `feedfs doctor` should not wait as long as a program that plays a file.
    network.readTimeout = .seconds(20)
    self.network = network
  }

  package func findings() async -> [Finding] {
    do throws(CommandError) {
      let client: HTTPClient
      do { client = try HTTPClient(network.configuration(for: [choice])) } catch {
        throw CommandError(any: error)
      }
      defer { client.shutDown() }
      let (feed, findings) = await read(by: client)
      guard let feed else { return findings }
      var all = findings
      for (origin, url) in Self.origins(of: feed) {
        var request = RangeRequest(url: url, range: .bytes(0..<1), expected: nil)
        request.feed = choice.typed
        let outcome = await OriginProbe.run(
          request, of: origin, by: client, within: Self.originTimeout)
        all += outcome.findings(of: origin, at: url)
      }
      all += await StreamCheckup(choice: choice).findings(of: feed, by: client)
      all += await ResolverCheckup(choice).page(of: feed, by: client)
      return all
    } catch {
      return [.bad(name, error.description, mend: "see `feedfs doctor --help`")]
    }
  }

  // MARK: Private

  private var name: String { (try? FeedKey(choice.address))?.shown ?? "feed" }

  private func read(by client: HTTPClient) async -> (Feed?, [Finding]) {
    let page = FeedPage(choice: choice, client: client)
    let start = ContinuousClock.now
    let question = Task { () -> Result<FeedPage.Answer, FeedPage.Failure> in
      do throws(FeedPage.Failure) {
        return .success(try await page.first(unless: PageFacts(), at: page.choice.moved))
      } catch {
        return .failure(error)
      }
    }
    let answer = await Tasks.real.value(of: question, within: Self.timeout)
    let milliseconds = Int(((ContinuousClock.now - start) / .milliseconds(1)).rounded())
    switch answer {
    case nil:
      question.cancel()
      return (nil, [.bad(name, "does not answer in time", mend: "try again later")])
    case .failure(let failure)?: return (nil, [Self.finding(name, failure)])
    case .success(.unchanged)?: return (nil, [.ok(name, "has not changed")])
    case .success(.page(let feed, let facts, let place))?:
      return (feed, findings(of: feed, facts, at: place, milliseconds))
    }
  }

  private func findings(
    of feed: Feed, _ facts: PageFacts, at place: FeedPage.Place, _ milliseconds: Int
  ) -> [Finding] {
    let playable = feed.entries.count { $0.media != nil }
    let words = "\(feed.kind.rawValue), read within \(milliseconds) ms"
    if feed.kind == .opml { return [.ok(name, "a list of \(feed.feeds.count) feeds, \(words)")] }
    var findings: [Finding] = [
      playable > 0
        ? .ok(name, "\(playable) entries that can be played, \(words)")
        : .bad(
          name, "no entry that can be played, \(words)",
          mend: "`feedfs feed show --all` says why")
    ]
    findings += Omissions(of: feed).findings(of: name)
    guard !place.url.hasPrefix("file:") else { return findings }
    if WebAddress.shown(place.url) != WebAddress.shown(choice.firstPage) {
      findings.append(.ok(name, "its address leads to \(WebAddress.shown(place.url))"))
    }
    let new = FeedMove.claim(
      redirect: place.target, announced: feed.newURL, at: choice.firstAsked)
    if let new {
      findings.append(.ok(name, "says that it has moved to \(WebAddress.shown(new))"))
    }
    let hasValidator = facts.entityTag != nil || facts.lastModified != nil
    findings.append(
      hasValidator
        ? .ok(name, "tells feedfs whether it has changed, so it is read again only then")
        : .warn(
          name, "does not tell whether it has changed: each refresh reads all of it",
          mend: "`feedfs mount --refresh 6h` reads it less often"))
    return findings
  }

  private static func finding(_ name: String, _ failure: FeedPage.Failure) -> Finding {
    let mend =
      switch failure {
      case .http(.blocked): "docs/network.md says which addresses are asked"
      case .http(.status): "check the address; `feedfs feed show` tries it again"
      case .http: "check the network and the address"
      case .file: "name a file that you may read"
      case .feed: "give the address of the feed itself; `feedfs feed show` says more"
      case .list: "check the feeds of this list one by one"
      case .forbidden: "`feedfs online` lets a mount fetch again"
      }
    return .bad(name, failure.description, mend: mend)
  }

  /// Returns the origins of the first entries' media, each with the first address at that origin.
  private static func origins(of feed: Feed) -> [(origin: OriginName, url: String)] {
    var seen: Set<OriginName> = []
    // `ResolverCheckup` checks web pages, and `StreamCheckup` streams.
    let media = feed.entries.lazy.compactMap(\.media).filter { !$0.isPage && !$0.isStream }
    return media.prefix(maxEntries).compactMap { media in
      guard let origin = (try? WebAddress(parsing: media.url))?.origin,
        seen.insert(origin).inserted
      else { return nil }
      return (origin, media.url)
    }
  }
}
