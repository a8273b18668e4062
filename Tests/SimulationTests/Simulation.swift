import Blocks
import Catalog
import FeedReading
import TestSupport

@testable import FeedMount
@testable import HTTP
@testable import Storage

/// One life of a feed's mount, with kills, power cuts and restarts. Clock, disk, origin and feed
/// are simulated. After each step it checks every promise.
///
/// One seed is one life, and one thread alone runs it.
final class Simulation: @unchecked Sendable {
  let seed: UInt64
  let disk: SimulatedDisk
  var feed: SimulatedFeed
  var mount: SimulatedMount?
  var viewers: [Viewer] = []
  var sidecars: [SidecarOpening] = []
  /// The last thread that has opened a file.
  var lastThread: Int32 = 0
  /// The number of pages of the feed that were sent as a whole.
  var pagesSent = 0
  /// True once a process did not end in order: blocks may turn out to be wrong when they are read,
  /// of which no notice tells.
  var wasUnclean = false
  var oracle = Oracle()
  /// The first broken promise.
  private(set) var complaint: String?
  /// The events of this life in words, if requested.
  private(set) var story: [String] = []
  private let isTelling: Bool
  private var token = 0
  /// The start of the present process.
  var started: Duration = .seconds(1_700_000_000)
  /// The error of the computer's clock.
  var leap = 0  // seconds

  private(set) lazy var web: SimulatedWeb = SimulatedWeb { [unowned self] request in
    if let subtitles = Subtitles(request.url) { return subtitles.answer(web.origin.fault) }
    if let place = Address(request.url) {
      tell("    GET \(request.url)")
      return web.origin.playlist(at: place)
    }
    let answer = feed.answer(request)
    tell("    GET \(request.url) is answered by \(answer?.head.status ?? 0)")
    if answer?.head.status == 200 { pagesSent += 1 }
    return answer
  } asked: { [unowned self] request, isCheck in
    noteRequest(request, isCheck: isCheck)
  }

  init(seed: UInt64, isTelling: Bool = false) {
    var random = SeededRandom(seed: ~seed)
    self.seed = seed
    self.isTelling = isTelling
    feed = SimulatedFeed(&random)
    disk = SimulatedDisk(seed: random.next())
  }

  /// Runs `steps` and the end of the life; returns the first broken promise, if any.
  func run(_ steps: [Step]) -> String? {
    defer { vanish() }  // its transfers would keep this object for ever
    begin()
    var random = SeededRandom(seed: seed)
    mount?.bringDocuments(&random)
    for step in steps where complaint == nil {
      var random = SeededRandom(seed: step.seed)
      tell("\(step)")
      take(step.operation, &random)
      mount?.around.executor.run()
      tell("    \(faults)")
      check()
    }
    if complaint == nil { clearUp() }
    if complaint == nil { leave() }
    if complaint == nil { goOffline() }
    return complaint
  }

  func complain(_ text: String) {
    guard !disk.isStopped else { return }
    tell("  ✘ \(text)")
    complaint = complaint ?? text
  }

  func tell(_ text: @autoclosure () -> String) {
    if isTelling, case let text = text(), !text.allSatisfy(\.isWhitespace) { story.append(text) }
  }

  // MARK: Steps

  private func take(_ operation: Step.Operation, _ random: inout SeededRandom) {
    oracle.causes += 1
    switch operation {
    case .refresh: refresh(&random)
    case .page:
      mount?.readMore()
      if random.chance(70) { mount?.bringDocuments(&random) }
    case .look: look(&random)
    case .list: list(&random)
    case .sidecar: openSidecar(&random)
    case .open: open(&random)
    case .read: read(&random)
    case .seek: seek(&random)
    case .interrupt: pick(viewers.filter(\.isWaiting), &random)?.interrupt()
    case .close: close(&random)
    case .pause: turn(.paused)
    case .offline: turn(.offline)
    case .online: turn(.online)
    case .evict: evict(&random)
    case .clear: clear(&random)
    case .pin: pin(true, &random)
    case .unpin: pin(false, &random)
    case .clock: setClock(&random)
    case .originFails: web.origin.fault = pick(SimulatedOrigin.Fault.allCases, &random)
    case .feedFails: feed.fault = pick(SimulatedFeed.Fault.allCases, &random)
    case .diskFails:
      if let fault = pick(SimulatedDisk.Fault.allCases, &random) { disk.faults.insert(fault) }
      oracle.mayForget = true
    case .faultsEnd: endFaults()
    case .change: change(&random)
    case .network: for _ in 0...random.below(12) { mount?.step(&random) }
    case .work: mount?.work()
    case .wait:
      mount?.advance(by: .milliseconds(random.below(random.chance(20) ? 20_000 : 600)))
    case .kill: kill(&random)
    case .cut: cut()
    case .restart: restart()
    }
  }

  /// Refreshes the feed, whose server often answers at once.
  func refresh(_ random: inout SeededRandom) {
    guard let mount else { return }
    mount.refresh()
    if random.chance(70) { mount.bringDocuments(&random) }
    let wait = RefreshSchedule().wait(after: mount.live.catalog.page, now: mount.now, jitter: 0.5)
    if wait < .seconds(300) || wait > .seconds(24 * 3600) {
      complain("the next refresh in \(wait)")
    }
  }

  private func open(_ random: inout SeededRandom) {
    guard let entry = mount.flatMap({ pick(Array($0.live.catalog.listed), &random) }) else {
      return
    }
    open(entry, isScanner: random.chance(10))
  }

  private func read(_ random: inout SeededRandom) {
    let ready = viewers.filter { $0.handle != nil && !$0.isWaiting }
    guard let viewer = pick(ready, &random) else { return open(&random) }
    let length = viewer.body?.bytes.count ?? 0
    if viewer.position >= length { viewer.position = 0 }
    read(1 + random.below(random.chance(70) ? 128 << 10 : 4096), by: viewer, random.chance(3))
  }

  func read(_ count: Int, by viewer: Viewer, _ cancelsAtOnce: Bool = false) {
    guard let mount else { return }
    oracle.causes += 2
    viewer.read(count, at: mount.time.now, cancelsAtOnce: cancelsAtOnce)
  }

  private func seek(_ random: inout SeededRandom) {
    let ready = viewers.filter { $0.handle != nil && !$0.isWaiting }
    guard let viewer = pick(ready, &random) else { return }
    viewer.position = random.below((viewer.body?.bytes.count ?? 0) + 1)
    read(1 + random.below(64 << 10), by: viewer)
  }

  private func close(_ random: inout SeededRandom) {
    if let viewer = pick(viewers, &random) { close(viewer) }
  }

  func close(_ viewer: Viewer) {
    if viewer.isWaiting { viewer.interrupt() }
    viewers.removeAll { $0 === viewer }
    guard !viewer.isClosed else { return }
    viewer.close()
    mount?.live.closed(viewer.version)
  }

  /// Sets the clock wrong by up to 30 days either way, or right again.
  private func setClock(_ random: inout SeededRandom) {
    leap = random.chance(30) ? 0 : random.below(60 * 86_400) - 30 * 86_400
    tell("    wrong by \(leap) s")
  }

  /// Changes the network mode. Each open version may then ask again, which counts as a cause.
  func turn(_ mode: NetworkMode) {
    oracle.causes += 2 * (mount?.live.openVersions.count ?? 0)
    mount?.turn(mode)
  }

  private func change(_ random: inout SeededRandom) {
    switch random.below(8) {
    case 0..<3:
      let resource = pick(feed.items, &random)?.resource ?? 0
      web.origin.versions[resource] = random.below(3)
      tell("    resource \(resource) has version \(web.origin.versions[resource])")
      oracle.forget(resource: resource)
    case 3: feed.publish(&random)
    case 4: feed.takeBack(&random)
    case 5: feed.fallOff()
    case 6 where random.chance(50):
      if let serial = feed.rename(&random) { oracle.lose(serial: serial) }
    case 6: feed.swap(&random)
    default:
      moveAddresses(expiring: random.chance(70))
    }
  }

  /// Gives all entries new addresses; their old ones may be valid no more.
  func moveAddresses(expiring: Bool) {
    tell("    new addresses")
    token += 1
    feed.move(to: token)
    if expiring { web.origin.oldestToken = token }
  }

  /// The active faults, in words.
  private var faults: String {
    let all: [Any?] = [web.origin.fault, feed.fault] + disk.faults.map { $0 }
    return all.compactMap(\.self).map { "\($0)" }.joined(separator: ", ")
  }

  func endFaults() {
    web.origin.fault = nil
    feed.fault = nil
    disk.faults = []
    // This acts as if the user said "try again": a refused address is skipped for ten minutes.
    mount.map { $0.live.tryAgain($0.live.catalog.entries.map(\.number)) }
  }

  // MARK: Chance

  func pick<Item>(_ items: [Item], _ random: inout SeededRandom) -> Item? {
    items.isEmpty ? nil : items[random.below(items.count)]
  }
}
