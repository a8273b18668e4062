import Blocks
import Catalog
import FeedReading
import SystemPackage
import TestSupport

@testable import FeedMount
@testable import Storage

/// The feed in fair weather: all of its news are listed, and all that is known is saved.
extension Simulation {
  /// Checks that a refresh has brought the entries of the pages that were read.
  func checkRefreshed() {
    guard let mount, complaint == nil else { return }
    if let error = mount.feed.refresher.report.error { complain("the feed is not read: \(error)") }
    let catalog = mount.live.catalog
    if let checked = catalog.page.checkedAt, abs(mount.now - checked) > 60 {
      complain("a refresh is not noted")
    }
    let listed = Set(catalog.listed.map(\.media.url))
    let read = max(1, catalog.chain.count) * SimulatedFeed.pageLength
    for item in feed.items.prefix(read) {
      let address = item.media.url
      if !listed.contains(address) { complain("\(address) of the feed is not listed") }
    }
    if let next = mount.feed.refresher.timeToNextAttempt, next > .seconds(30 * 3600) {
      complain("the next refresh in \(next)")
    }
  }

  /// Checks that the feed's next page is read when its last entries are opened.
  func readOnAtEnd(_ random: inout SeededRandom) {
    guard let mount, complaint == nil, let last = mount.live.catalog.inFeedOrder.last else {
      return
    }
    let before = mount.live.catalog.chain.count
    guard let viewer = open(last) else { return }
    settle(&random)
    close(viewer)
    let pages = (feed.items.count + SimulatedFeed.pageLength - 1) / SimulatedFeed.pageLength
    if mount.live.catalog.chain.count <= before, before < pages,
      mount.live.catalog.chain.ended == nil
    {
      complain("the page behind \(last.name) is not read")
    }
  }

  /// Checks that a refresh which a pause prevented is made when the pause ends.
  func missRefresh(_ random: inout SeededRandom) {
    guard complaint == nil else { return }
    turn(.paused)
    mount?.refresh()
    feed.publish(&random)
    turn(.online)
    settle(&random)
    guard let mount, let item = feed.items.first else { return }
    if !mount.live.catalog.listed.contains(where: { Address($0.media.url)?.serial == item.serial })
    {
      complain("a refresh that a pause prevented is forgotten")
    }
  }

  /// Checks that an entry which the disk had no room for is listed as soon as there is room.
  func saveAgain(_ random: inout SeededRandom) {
    guard complaint == nil, random.chance(20) else { return }
    disk.faults = [.full]
    oracle.mayForget = true
    feed.publish(&random)
    refresh(&random)
    settle(&random)
    disk.faults = []
    mount?.advance(by: .seconds(31))
    settle(&random)
    guard let mount, let item = feed.items.first else { return }
    if !mount.live.catalog.listed.contains(where: { Address($0.media.url)?.serial == item.serial })
    {
      complain("an entry is not listed though there is room")
    }
  }

  /// Checks that a player waits for no sidecar, and takes no portal's page for one.
  func openSidecarsInVain(_ random: inout SeededRandom) {
    for fault in [SimulatedOrigin.Fault.silence, .portal] where complaint == nil {
      _ = mount?.cache.removeDocuments()
      mount?.advance(by: .seconds(61))
      web.origin.fault = fault
      openSidecar(&random)
      for _ in 0..<7 {
        mount?.bringDocuments(&random)
        mount?.advance(by: .seconds(1))
        if let mount { checkSidecars(mount) }
      }
    }
    web.origin.fault = nil
    settle(&random)
  }

  /// Checks that the snapshot on the disk has the facts of the catalog.
  func checkSaved() {
    guard let mount, complaint == nil else { return }
    let file = SnapshotFile(
      in: "/state", name: "catalog.json", on: disk.disk(flushingBy: mount.time))
    let saved = (try? file.read { try Catalog(decoding: $0) }) ?? nil
    guard let saved else { return complain("no catalog is saved") }
    let difference = SavedFacts(saved).difference(from: SavedFacts(mount.live.catalog))
    if let difference { complain("not saved: \(difference)") }
  }
}

/// The facts about a feed that must outlive a process.
struct SavedFacts: Equatable {
  private let entries: [String]
  private let order: [Int]
  private let pages: Int
  private let lastPlayed: Int?

  init(_ catalog: Catalog) {
    entries = catalog.entries.map { entry in
      "\(entry.name) \(entry.inode) \(entry.presence) \(entry.isPinned) \(entry.titleName)"
        + " \(entry.media.url) \(entry.known.map { "\($0.representation)" } ?? "")"
    }
    order = catalog.order
    pages = catalog.chain.count
    lastPlayed = catalog.lastPlayed
  }

  /// Returns the first difference in words; nil: there is none.
  func difference(from other: SavedFacts) -> String? {
    for (one, other) in zip(entries, other.entries) where one != other {
      return "\(one), which is \(other)"
    }
    if entries.count != other.entries.count {
      return "\(other.entries.count - entries.count) entries"
    }
    return self == other ? nil : "the order, the pages or the entry that was played last"
  }
}
