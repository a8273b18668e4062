import Catalog
import Control
import FeedReading
import Host
import Quantities
import World

/// Answers the requests of the control socket.
extension MountContext {
  /// Answers a command's request.
  func answer(_ request: ControlRequest) async -> ControlAnswer {
    switch request {
    case .cache(let request): return await cacheWork.answer(request)
    case .mount: return ControlAnswer(identity)
    case .status: return ControlAnswer(document: statusDocument())
    case .files(let part): return ControlAnswer(document: statusDocument(of: part))
    case .file(let name):
      do throws(CacheAdmin.Refusal) {
        guard let details = try details(of: name) else { return Self.noSuchFile }
        return ControlAnswer(document: Pieces(Self.document(details)))
      } catch {
        return .refusal(error.status, error.reason)
      }
    case .turn(let mode):
      await turn(mode)
      return ControlAnswer(steering)
    case .limit(let text):
      guard let rate = Rate(parsing: text) else {
        return .refusal(400, "\(text) is not a rate: write it \(Rate.form)")
      }
      await limit(to: rate)
      return ControlAnswer(steering)
    case .played(let name):
      for place in places where name.hasPrefix(place.prefix) {
        let own = String(name.dropFirst(place.prefix.count))
        guard let entry = place.feed.live.entry(named: own) else { continue }
        place.feed.live.mark(.played, [entry.number])
        return ControlAnswer(PlayedOutcome(file: name))
      }
      return Self.noSuchFile
    case .follow:
      guard let outcome = await followSubscriptions() else { return Self.followsNothing }
      switch outcome {
      case .success(let outcome): return ControlAnswer(outcome)
      case .failure(let error): return .refusal(409, error.description)
      }
    case .meter(let isMetered):
      await meter(isMetered)
      return ControlAnswer(steering)
    case .release(let process):
      return ControlAnswer(ReleaseOutcome(reads: release(process)))
    case .refresh(let name):
      guard let places = places(named: name) else { return Self.noSuchFeed }
      let before = places.map(\.feed.live.catalog.nextNumber)
      let tasks = places.map { place in world.tasks.start { await place.feed.refresher.refresh() } }
      var outcome = RefreshOutcome(refreshed: 0, errors: [])
      for task in tasks {
        if let failure = await task.value {
          outcome.errors.append(failure.description)
        } else {
          outcome.refreshed += 1
        }
      }
      let news = zip(places, before).compactMap { $0.feed.live.news(from: $1) }
      outcome.news = news.isEmpty ? nil : news
      return ControlAnswer(outcome)
    case .moves(let name):
      guard let places = places(named: name) else { return Self.noSuchFeed }
      return ControlAnswer(FeedMoves(moves: places.compactMap(\.feed.move)))
    case .more(let name):
      guard let places = places(named: name) else { return Self.noSuchFeed }
      let tasks = places.map { place in world.tasks.start { await place.feed.refresher.more() } }
      var outcome = MoreOutcome(added: 0, end: nil, errors: [])
      var goesOn = false
      for task in tasks {
        let more = await task.value
        outcome.added += more.added
        outcome.end = more.endedBecause
        goesOn = goesOn || more.endedBecause == nil
        if let error = more.error { outcome.errors.append(error) }
      }
      if goesOn { outcome.end = nil }
      return ControlAnswer(outcome)
    }
  }

  private var steering: SteeringOutcome {
    SteeringOutcome(
      mode: networkControl.mode, rateLimit: networkControl.rate.bytesPerSecond,
      isMetered: networkControl.isMetered)
  }

  private static let noSuchFile = ControlAnswer.refusal(
    404, "the mount has no file of that name; `feedfs status --all` lists its files")

  private static let followsNothing = ControlAnswer.refusal(
    409,
    "the mount has only the feeds that it was started with; to add others, unmount it, and mount again"
  )

  private static let noSuchFeed = ControlAnswer.refusal(
    404, "the mount has no feed of that name; `ls` shows the folders of its feeds")

  /// Returns the places whose folder has this name, or all places if `name` is nil. Returns nil if
  /// no folder has this name.
  private func places(named name: String?) -> [Place]? {
    guard let name else { return places }
    let found = places.filter { $0.folder == name }
    return found.isEmpty ? nil : found
  }
}
