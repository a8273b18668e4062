import Catalog
import Control
import FeedReading
import Host

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
      guard let details = details(of: name) else { return Self.noSuchFile }
      return ControlAnswer(document: Pieces(Self.document(details)))
    case .turn(let mode):
      await turn(mode)
      return ControlAnswer(steering)
    case .limit(let text):
      guard let rate = Rate(parsing: text) else {
        return .refusal(400, "\(text) is no limit: write it \(Rate.form)")
      }
      await limit(to: rate)
      return ControlAnswer(steering)
    case .refresh(let name):
      guard let places = places(named: name) else { return Self.noSuchFeed }
      let tasks = places.map { place in world.tasks.start { await place.feed.refresher.refresh() } }
      var outcome = RefreshOutcome(refreshed: 0, errors: [])
      for task in tasks {
        if let failure = await task.value {
          outcome.errors.append(failure.description)
        } else {
          outcome.refreshed += 1
        }
      }
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
        outcome.end = more.ended?.description
        goesOn = goesOn || more.ended == nil
        if let error = more.error { outcome.errors.append(error) }
      }
      if goesOn { outcome.end = nil }
      return ControlAnswer(outcome)
    }
  }

  private var steering: SteeringOutcome {
    SteeringOutcome(mode: networkControl.mode, rateLimit: networkControl.rate.bytesPerSecond)
  }

  private static let noSuchFile = ControlAnswer.refusal(
    404, "there is no file of that name in the mount; `feedfs status --all` lists them")

  private static let noSuchFeed = ControlAnswer.refusal(
    404, "there is no feed of that name in the mount; `ls` shows their folders")

  /// Returns all places if `name` is nil; nil if no feed has that name.
  private func places(named name: String?) -> [Place]? {
    guard let name else { return places }
    let found = places.filter { $0.folder == name }
    return found.isEmpty ? nil : found
  }
}
