import Catalog
import FeedReading
import TestSupport
import Testing

/// Seeded lives of feeds: whatever a publisher does, a number, a name and an inode stay with their
/// entry.
@Suite(.timeLimit(.minutes(1))) struct CatalogLifeTests {
  @Test(arguments: 0..<24)
  func namesAndInodesStayWithTheirEntry(seed: UInt64) throws {
    var publisher = Publisher(dice: SeededRandom(seed: seed))
    var catalog = try Catalog.empty()
    var witness = Witness()

    for round in 0..<60 {
      let page = publisher.publish()
      catalog.read(page, now: noon + round) { _ in publisher.flip(0.3) }
      publisher.wasRead()
      if publisher.flip(0.2), let entry = catalog.entries.randomElement(using: &publisher.dice) {
        witness.becameStale(entry.number, by: catalog.markStale(entry.number))
      }
      if publisher.flip(0.3) {
        let restored = try Catalog(decoding: catalog.encoded())
        #expect(restored == catalog)
        catalog = restored
      }
      expectInvariants(of: catalog)
      witness.look(at: catalog, page: page)
    }
    #expect(catalog.entries.count == publisher.shown.count, "seed \(seed)")
  }
}

/// A publisher that changes its feed as publishers do, but never both id and address of an entry
/// between two refreshes: no reader could recognise the entry then.
private struct Publisher {
  struct Work {
    let serial: Int
    var guid: String
    var url: String
    var seenGuid: String?
    var seenURL: String?
    var title: String
  }

  var dice: SeededRandom
  private(set) var shown: Set<Int> = []
  private var window: [Work] = []
  private var archive: [Work] = []
  private var count = 0

  init(dice: SeededRandom) {
    self.dice = dice
  }

  mutating func flip(_ chance: Double) -> Bool {
    Double.random(in: 0..<1, using: &dice) < chance
  }

  mutating func publish() -> Feed {
    for _ in 0..<Int.random(in: 0...3, using: &dice) { insert() }
    if flip(0.3), !window.isEmpty { archive.append(window.removeLast()) }
    if flip(0.3), !window.isEmpty {
      archive.append(window.remove(at: Int.random(in: window.indices, using: &dice)))
    }
    if flip(0.1) { window.shuffle(using: &dice) }
    if flip(0.3), !archive.isEmpty {
      let back = archive.remove(at: Int.random(in: archive.indices, using: &dice))
      window.insert(back, at: Int.random(in: 0...window.count, using: &dice))
    }
    for index in window.indices where flip(0.2) { alter(index) }
    var page = feed(
      window.map { video($0.guid, url: $0.url, title: $0.title, published: noon - $0.serial) })
    page.recovered = flip(0.1)
    page.complete = flip(0.05)
    if flip(0.1), let gone = archive.randomElement(using: &dice) { page.deleted = [gone.guid] }
    return page
  }

  /// Notes that the last page was read.
  mutating func wasRead() {
    for index in window.indices {
      window[index].seenGuid = window[index].guid
      window[index].seenURL = window[index].url
      shown.insert(window[index].serial)
    }
  }

  private mutating func insert() {
    count += 1
    window.insert(
      Work(
        serial: count, guid: "g\(count)", url: "https://media.example/\(count)/0",
        title: "Title \(count)"), at: flip(0.8) ? 0 : Int.random(in: 0...window.count, using: &dice)
    )
  }

  private mutating func alter(_ index: Int) {
    let work = window[index]
    let suffix = UInt16.random(in: 0...UInt16.max, using: &dice)
    switch Int.random(in: 0..<3, using: &dice) {
    case 0: window[index].title += "!"
    case 1 where work.url == work.seenURL: window[index].guid = "g\(work.serial)-\(suffix)"
    case 2 where work.guid == work.seenGuid:
      window[index].url = "https://media.example/\(work.serial)/\(suffix)"
    default: break
    }
  }
}

/// Records the owner of each number, name and inode, and reports a change.
private struct Witness {
  private var numbers: [String: Int] = [:]
  private var names: [Int: String] = [:]
  private var owners: [UInt64: Int] = [:]
  private var inodes: [Int: UInt64] = [:]

  mutating func becameStale(_ number: Int, by inode: UInt64) {
    #expect(owners[inode] == nil)
    inodes[number] = inode
  }

  mutating func look(at catalog: Catalog, page: Feed) {
    for entry in catalog.entries {
      let isSame =
        names[entry.number, default: entry.name] == entry.name
        && owners[entry.inode, default: entry.number] == entry.number
        && inodes[entry.number, default: entry.inode] == entry.inode
      if !isSame { Issue.record("another had what \(entry) has") }
      names[entry.number] = entry.name
      owners[entry.inode] = entry.number
      inodes[entry.number] = entry.inode
    }
    let byAddress = Dictionary(
      catalog.entries.map { ($0.media.url, $0) }, uniquingKeysWith: { first, _ in first })
    for shown in page.entries {
      // In "https://media.example/SERIAL/…", the serial tells the publisher's entry.
      guard let url = shown.media?.url, let entry = byAddress[url] else {
        Issue.record("\(shown.id) is not in the catalog")
        continue
      }
      let serial = String(url.split(separator: "/")[2])
      #expect(numbers[serial] == nil || numbers[serial] == entry.number)
      #expect(!entry.isRemoved)
      numbers[serial] = entry.number
    }
  }
}
