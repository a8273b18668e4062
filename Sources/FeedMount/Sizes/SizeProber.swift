import Addresses
import Blocks
import Catalog
import FeedReading
import Filling
import HTTP
import Locks
import Storage
import World

/// Asks origins for the sizes of files whose exact size is not known. `ProbePlan` decides which
/// file is asked for next, and when.
///
/// One prober serves all feeds of a mount, because feeds can have origins in common. Safe from any
/// thread. Its work runs on a thread of its own, because the work can block on the disk.
final class SizeProber: Sendable {
  /// A feed of the mount.
  struct Member: Sendable {
    let live: LiveCatalog
    let sidecars: SidecarFiles
    /// The address of the feed as the user typed it.
    let typed: TypedAddress?

    fileprivate var id: ObjectIdentifier { ObjectIdentifier(live) }
  }

  /// A file whose size is asked for, at one of its addresses.
  struct Name: Hashable, Sendable {
    let feed: ObjectIdentifier
    let number: Int
    let url: String
    let isBeside: Bool
  }

  private typealias Plan = ProbePlan<Name, ObjectIdentifier>

  private struct State {
    var plan = Plan()
    var members: [ObjectIdentifier: Member] = [:]
    /// The time at which `step` runs next; nil if no timer is set.
    var nextStep: Duration?
    var hasEnded = false
  }

  /// The largest number of media files of one feed that wait in the plan, and of entries whose
  /// sidecars wait there. It is the daily budget of one origin, so a larger number would rarely
  /// help.
  private static let maxWaiting = ProbeBudget.maxPerDay
  private let ledger: Ledger<ProbeBudget>
  private let world: World
  private let timekeeper: any Timekeeper
  private let mayAsk: @Sendable () -> Bool
  private let state = Locked(State())

  /// - Parameter mayAsk: returns whether background work is allowed to use the network. When its
  ///   result changes, the caller must call `goOn`.
  init(_ ledger: Ledger<ProbeBudget>, in world: World, mayAsk: @escaping @Sendable () -> Bool) {
    self.ledger = ledger
    self.world = world
    self.mayAsk = mayAsk
    timekeeper = world.timekeeper("feedfs.sizes")
  }

  /// Collects the wishes of a feed again, because its listing has changed.
  func follow(_ member: Member) {
    timekeeper.call(after: .zero) { [weak self] in
      guard let self else { return }
      let wishes = wishes(of: member)
      state.withLock { state in
        guard !state.hasEnded else { return }
        state.members[member.id] = member
        state.plan.wants(wishes, of: member.id)
      }
      step()
    }
  }

  /// Continues to ask for sizes after a change of the network mode.
  func goOn() {
    timekeeper.call(after: .zero) { [weak self] in self?.step() }
  }

  /// Forgets all feeds, and sends no further request.
  func end() {
    state.withLock { $0 = State(hasEnded: true) }
  }

  // MARK: The wishes

  private func wishes(of member: Member) -> [Plan.Wish] {
    let catalog = member.live.catalog
    let films = catalog.unsized.prefix(Self.maxWaiting).compactMap { catalog.entry(number: $0) }
    let beside = catalog.listing(after: 0).filter(member.sidecars.mayHave)
      .sorted { $0.modified > $1.modified }.prefix(Self.maxWaiting)
      .compactMap { catalog.entry(number: $0.number) }
    var wishes = films.compactMap {
      wish(for: $0.source.url, of: $0.number, $0.modified, in: member, isBeside: false)
    }
    for entry in beside {
      wishes += member.sidecars.unmeasured(of: entry).compactMap {
        wish(for: $0, of: entry.number, entry.modified, in: member, isBeside: true)
      }
    }
    // The feed's picture comes first among the sidecars, because it is seen first.
    return wishes
      + member.sidecars.unmeasuredOfFeed.compactMap {
        wish(for: $0, of: 0, .max, in: member, isBeside: true)
      }
  }

  private func wish(
    for url: String, of number: Int, _ modified: Int, in member: Member, isBeside: Bool
  ) -> Plan.Wish? {
    guard let origin = (try? WebAddress(parsing: url))?.origin.description else { return nil }
    return Plan.Wish(
      name: Name(feed: member.id, number: number, url: url, isBeside: isBeside),
      origin: origin, isBeside: isBeside, modified: modified)
  }

  // MARK: Asking

  /// Asks for all sizes that are allowed to be asked for now. Runs on the thread of `timekeeper`
  /// only.
  private func step() {
    while true {
      let (now, may) = (timekeeper.now, mayAsk())
      switch state.withLock({ $0.plan.next(at: now, mayAsk: may) }) {
      case .nothing: return
      case .wait(let time): return wait(until: time)
      case .ask(let name, let origin):
        let member = state.withLock { $0.members[name.feed] }
        guard let member, isWanted(name, of: member) else {
          ended(name, of: origin, .known)
          continue
        }
        let second = world.wall.seconds
        if let time = ledger.take({ $0.take(origin, at: second) }) {
          ended(name, of: origin, .takenBack)
          state.withLock {
            $0.plan.closed(origin, until: now + .seconds(max(1, time - second)))
          }
        } else if name.isBeside {
          fetch(name, of: origin, in: member)
        } else {
          ask(name, of: origin, in: member)
        }
      }
    }
  }

  private func wait(until time: Duration) {
    let isEarlier = state.withLock { state in
      if let next = state.nextStep, next <= time { return false }
      state.nextStep = time
      return true
    }
    guard isEarlier else { return }
    timekeeper.call(after: max(time - timekeeper.now, .zero)) { [weak self] in
      guard let self else { return }
      let isNext = state.withLock { state in
        guard state.nextStep == time else { return false }
        state.nextStep = nil
        return true
      }
      if isNext { step() }
    }
  }

  /// Returns true if the size is still unknown and the address has not refused.
  private func isWanted(_ name: Name, of member: Member) -> Bool {
    guard member.live.failures.refusal(of: name.url) == nil else { return false }
    if name.number == 0 { return member.sidecars.unmeasuredOfFeed.contains(name.url) }
    guard let entry = member.live.listedEntry(number: name.number) else { return false }
    if name.isBeside { return member.sidecars.unmeasured(of: entry).contains(name.url) }
    return entry.isUnsized && entry.source.url == name.url
      && member.live.version(of: entry.inode) == nil && member.live.holding(of: entry).bytes == 0
  }

  private func fetch(_ name: Name, of origin: String, in member: Member) {
    world.tasks.start { [weak self] in
      var end = Plan.End.known
      do throws(HTTPError) {
        try await member.sidecars.measure(name.url)
      } catch {
        end = Plan.End(error)
      }
      self?.endedLater(name, of: origin, end)
    }
  }

  private func ask(_ name: Name, of origin: String, in member: Member) {
    guard let entry = member.live.entry(number: name.number) else {
      return ended(name, of: origin, .known)
    }
    let inode = entry.inode
    let hasOthers = entry.sources.count > 1
    SizeQuestion.start(at: name.url, for: member.typed, by: world.network) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success(let answer) where answer.isWhole && hasOthers:
        // The origin has no ranges, so its answer is not used: a reader would first try the entry's
        // other addresses, which can have ranges.
        endedLater(name, of: origin, .refused)
      case .success(let answer):
        take(KnownBody(answer, at: world.wall.seconds), name, inode, member)
        endedLater(name, of: origin, .known)
      case .failure(let failure):
        if case .unsatisfiable(0) = failure.end {
          let empty = Representation(length: 0, validator: .none)
          take(
            KnownBody(empty, type: nil, freshFor: nil, at: world.wall.seconds), name, inode, member)
        }
        if case .refused(.live) = failure.end {
          timekeeper.call(after: .zero) { member.live.foundBroadcast(inode) }
        }
        endedLater(name, of: origin, Plan.End(failure.end))
      }
    }
  }

  private func take(_ body: KnownBody, _ name: Name, _ inode: UInt64, _ member: Member) {
    timekeeper.call(after: .zero) { member.live.measured(body, of: inode, at: name.url) }
  }

  private func endedLater(_ name: Name, of origin: String, _ end: Plan.End) {
    timekeeper.call(after: .zero) { [weak self] in
      self?.ended(name, of: origin, end)
      self?.step()
    }
  }

  private func ended(_ name: Name, of origin: String, _ end: Plan.End) {
    let now = timekeeper.now
    state.withLock { $0.plan.ended(name, of: origin, end, at: now) }
  }
}

extension ProbePlan.End {
  /// Tells whether a status means that the origin will never answer this request. The status then
  /// counts as a refusal of this file alone, and the origin's other files need no pause.
  private static func isForGood(_ status: Int) -> Bool { status == 501 || status == 505 }

  init(_ end: TransferEnd) {
    self =
      switch end {
      case .busy(_, let wait): .busy(wait)
      case .serverError(let status) where Self.isForGood(status): .refused
      case .unanswered, .broken, .serverError: .silent
      case .cancelled: .takenBack
      case .unsatisfiable(0): .known
      case .complete, .notModified, .changed, .doubted, .unsatisfiable, .gone, .refused, .blocked:
        .refused
      }
  }

  init(_ error: HTTPError) {
    self =
      switch error {
      case .busy(_, let wait): .busy(wait)
      case .unanswered, .broken: .silent
      case .status(_, let status, _) where status >= 500 && !Self.isForGood(status): .silent
      case .cancelled: .takenBack
      case .status, .unavailable, .badURL, .badAddressBlock, .badHeader, .badPin, .badProxy,
        .blocked,
        .refused:
        .refused
      }
  }
}
