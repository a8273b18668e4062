package import Blocks
package import FeedReading
package import HTTP
import Locks
import Storage
package import Streams
package import SystemPackage
package import World

/// Finds the media of web pages, with as few requests as possible.
///
/// A page is resolved when its file is opened, or when it will probably be opened soon. At each
/// site, one page at a time is resolved for players, and one for other programs, within the site's
/// `ResolutionBudget`. An answer is valid until the first of its addresses expires, or for an hour
/// if the addresses do not tell when they expire. It stays valid after a restart. Safe from any
/// thread.
package final class Resolver: Sendable {
  package enum Outcome: Sendable {
    /// `formats` can be read as a file, best first. `stream` is to be read instead of them; it is
    /// nil if a file is as good. `isNews` is true if the page was resolved just now, and false if
    /// its answer was remembered.
    case found(PageMedia, formats: [PageFormat], stream: OfferedChoice?, isNews: Bool)
    /// The page has no media that can be read.
    case failed(Failure)
    /// The site was asked too often, as the text says. It may be asked again at `until`, in seconds
    /// since 1970.
    case postponed(String, until: Int)
    /// The resolution was stopped, because fetches are not allowed now.
    case stopped
  }

  /// A reason why the media of a page cannot be read.
  package enum Failure: Hashable, Sendable {
    /// The page has a live broadcast that has not ended.
    case live
    case other(String)

    package var words: String {
      switch self {
      case .live: PageMedia.Obstacle.live.words
      case .other(let words): words
      }
    }
  }

  struct Question: Hashable {
    let page: String
    let asker: PageAsker
  }

  struct State {
    var answers: [String: ResolvedPages.Answer] = [:]
    /// Whether the answers of earlier processes are among `answers`.
    var hasRecalled = false
    var running: [Question: Task<Outcome, Never>] = [:]
    /// The pages that are being resolved now. Pages that wait for their turn are not among them.
    var asked: Set<String> = []
    var hasEnded = false
    /// True if fetches are allowed.
    var isOpen = true

    var mayAsk: Bool { isOpen && !hasEnded }
  }

  static let usualLife = 3600  // seconds
  /// The limit for the pages whose media are remembered.
  static let maxAnswers = 200
  /// The limit for the remembered formats of a page. It is enough, because few formats have both
  /// picture and sound.
  static let maxFormats = 32
  /// The longest wait, in seconds, for an address that is not valid yet.
  private static let maxWait = 20

  private let finder: any MediaFinder
  let media: MediaChoice
  /// The user's choice among the tracks of streams; nil if streams are no files.
  let wishes: StreamWishes?
  private let ledger: Ledger<ResolutionBudget>
  let pages: ResolvedPages
  private let turns: ResolutionTurns
  let wall: WallClock
  private let tasks: Tasks
  /// The queue for work that blocks on the disk.
  let jobs: any JobQueue
  let state = Locked(State())

  /// - Parameters:
  ///   - media: the user's choice among the formats.
  ///   - ledger: counts the resolutions of each site.
  ///   - pages: the answers that are saved on the disk.
  ///   - jobs: the queue for work that blocks on the disk.
  init(
    _ finder: any MediaFinder, choosing media: MediaChoice, ledger: Ledger<ResolutionBudget>,
    pages: ResolvedPages, turns: ResolutionTurns, wall: WallClock, tasks: Tasks,
    jobs: any JobQueue
  ) {
    self.finder = finder
    self.media = media
    wishes = StreamWishes(media)
    self.ledger = ledger
    self.pages = pages
    self.turns = turns
    self.wall = wall
    self.tasks = tasks
    self.jobs = jobs
  }

  /// Returns the media of `page`.
  ///
  /// - Parameters:
  ///   - refused: an address that its origin refuses now. The remembered answer is forgotten if it
  ///     has this address. Nil if any remembered answer will do.
  ///   - before: the mark (`PageFormat.mark`) of the format that was read before; nil if none was.
  ///   - known: the version that is cached, if there is one.
  package func find(
    _ page: String, for asker: PageAsker, insteadOf refused: String? = nil,
    before: String? = nil, known version: Representation? = nil
  ) async -> Outcome {
    await recall()
    if let refused { forget(page, with: refused) }
    let choice = FormatChoice(media, before: before, length: version?.length)
    let isStream = version.map(StreamLayout.isFilm)
    if let known = known(page) { return await outcome(known, choice, isStream, isNews: false) }
    let outcome = await question(page, asker).value
    guard case .found(let media, _, _, let isNews) = outcome else { return outcome }
    return await self.outcome(media, choice, isStream, isNews: isNews)
  }

  /// Whether the media of `page` is known now.
  package func knows(_ page: String) -> Bool { known(page) != nil }

  /// Stops all resolutions for good.
  package func end() {
    stop { $0.hasEnded = true }
  }

  /// Stops or allows resolutions. While `isOpen` is false, all running resolutions and each new one
  /// stop.
  package func turn(isOpen: Bool) {
    stop { $0.isOpen = isOpen }
  }

  // MARK: Asking

  private func stop(_ change: (inout State) -> Void) {
    let mayAsk = state.withLock { state in
      change(&state)
      return state.mayAsk
    }
    finder.turn(isOpen: mayAsk)
  }

  /// Returns the resolution of `page` that is under way, or a new one. A player does not wait for a
  /// resolution that another program began, unless that resolution is already asking the page.
  private func question(_ page: String, _ asker: PageAsker) -> Task<Outcome, Never> {
    state.withLock { state in
      let own = Question(page: page, asker: asker)
      let player = state.running[Question(page: page, asker: .player)]
      if let running = player ?? state.running[own] { return running }
      let other = state.running[Question(page: page, asker: .other)]
      if let other, state.asked.contains(page) { return other }
      let task = tasks.start { await self.ask(own) }
      state.running[own] = task
      return task
    }
  }

  private func ask(_ question: Question) async -> Outcome {
    let outcome = await answer(question)
    state.withLock { state in
      state.running[question] = nil
      state.asked.remove(question.page)
    }
    return outcome
  }

  private func answer(_ question: Question) async -> Outcome {
    guard state.withLock({ $0.mayAsk }) else { return .stopped }
    let (page, now) = (question.page, wall.seconds)
    let site = ResolutionBudget.site(of: page)
    let wait = await withCheckedContinuation { continuation in
      jobs.add { [ledger] in
        continuation.resume(returning: ledger.take { $0.take(site, for: question.asker, at: now) })
      }
    }
    if let wait { return .postponed(Self.words(for: wait - now, site), until: wait) }
    let lane = ResolutionTurns.Lane(site: site, asker: question.asker)
    return await turns.alone(in: lane) { [self] in
      // While this one waited for its turn, another resolution may have brought the answer.
      if let known = known(page) { return .found(known, formats: [], stream: nil, isNews: false) }
      let mayAsk = state.withLock { state in
        if state.mayAsk { state.asked.insert(page) }
        return state.mayAsk
      }
      guard mayAsk else { return .stopped }
      switch await finder.find(page) {
      case .media(let media):
        keep(media, of: page)
        return .found(media, formats: [], stream: nil, isNews: true)
      case .failed(let words): return .failed(.other(words))
      case .stopped: return .stopped
      }
    }
  }

  private static func words(for seconds: Int, _ site: String) -> String {
    "the web page can be read in \((seconds + 59) / 60) min: feedfs asks \(site) for at most"
      + " \(ResolutionBudget.maxPerHour) pages an hour, and keeps \(ResolutionBudget.reserved) of these"
      + " for players"
  }

  // MARK: Answers

  private func outcome(
    _ media: PageMedia, _ choice: FormatChoice, _ isStream: Bool?, isNews: Bool
  ) async -> Outcome {
    let formats = isStream == true ? [] : choice.ranked(media.formats)
    let stream = wishes.flatMap { choice.stream(of: media, isStream: isStream, $0) }
    guard media.obstacle == nil, stream != nil || !formats.isEmpty else {
      return .failed(
        media.obstacle == .live ? .live : .other(choice.reason(for: media, isStream: isStream)))
    }
    if let begins = stream?.begins ?? formats.first?.begins, case let wait = begins - wall.seconds,
      (1...Self.maxWait).contains(wait)
    {
      try? await tasks.sleep(for: .seconds(wait))
    }
    return .found(media, formats: formats, stream: stream, isNews: isNews)
  }
}

extension Resolver {
  /// Makes the resolver of a feed. Returns nil if the user wants no web pages of this feed to be
  /// read.
  ///
  /// - Parameters:
  ///   - command: the user's program with its arguments; empty if feedfs reads the web pages
  ///     itself.
  ///   - feed: the address of the feed as the user typed it.
  ///   - directory: the folder of the feed's state.
  ///   - shared: the folder of the state of all feeds, where the budget is.
  package convenience init?(
    _ command: [String], of feed: TypedAddress?, choosing media: MediaChoice,
    turns: ResolutionTurns, stateIn directory: FilePath, budgetIn shared: FilePath, in world: World
  ) {
    guard media.pages || media.announcedPages else { return nil }
    self.init(
      Self.finder(
        command, of: feed, by: world.network, wall: world.wall, tasks: world.tasks,
        jobs: world.makeJobs),
      choosing: media, ledger: Ledger(in: shared, on: world.disk),
      pages: ResolvedPages(in: directory, on: world.disk, resolver: command, media: media),
      turns: turns, wall: world.wall, tasks: world.tasks,
      jobs: world.jobs("feedfs.resolutions"))
  }

  /// Returns the way to find the media of a feed's pages.
  ///
  /// - Parameter command: the user's program with its arguments; empty if feedfs reads the web
  ///   pages itself.
  package static func finder(
    _ command: [String], of feed: TypedAddress?, by client: any DocumentClient, wall: WallClock,
    tasks: Tasks, jobs: @escaping World.MakeJobs
  ) -> any MediaFinder {
    command.isEmpty
      ? PageItself(client, for: feed)
      : ResolverProgram(command, wall: wall, tasks: tasks, jobs: jobs)
  }
}
