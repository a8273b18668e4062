import FeedReading
import TestSupport

/// The publisher's feed: its entries, newest first, in pages of three.
struct SimulatedFeed {
  struct Item {
    let serial: Int
    let resource: Int
    var id: String
    var token = 0
  }

  enum Fault: CaseIterable {
    case unreachable, empty, damaged
  }

  static let pageLength = 3

  var fault: Fault?
  private(set) var items: [Item] = []
  private var lastSerial = 0

  init(_ random: inout SeededRandom) {
    for _ in 0..<(2 + random.below(6)) { publish(&random) }
  }

  mutating func publish(_ random: inout SeededRandom) {
    lastSerial += 1
    let resource = random.below(Resource.all.count)
    items.insert(Item(serial: lastSerial, resource: resource, id: "id\(lastSerial)"), at: 0)
  }

  mutating func takeBack(_ random: inout SeededRandom) {
    guard items.count > 2 else { return }
    items.remove(at: random.below(items.count))
  }

  mutating func fallOff() {
    if items.count > 2 { items.removeLast() }
  }

  /// Gives an entry another identifier; returns its serial.
  mutating func rename(_ random: inout SeededRandom) -> Int? {
    guard !items.isEmpty else { return nil }
    let place = random.below(items.count)
    items[place].id += "x"
    return items[place].serial
  }

  mutating func swap(_ random: inout SeededRandom) {
    guard items.count > 1 else { return }
    items.swapAt(random.below(items.count), random.below(items.count))
  }

  /// Gives all addresses this token.
  mutating func move(to token: Int) {
    for index in items.indices { items[index].token = token }
  }

  static let first = "http://f.example/feed"

  private static func address(_ page: Int) -> String {
    page == 0 ? first : "\(first)?page=\(page)"
  }

  /// Returns the page at `url`; nil if there is none or the feed is unreachable.
  func page(_ url: String) -> Feed? {
    let pages = (items.count + Self.pageLength - 1) / Self.pageLength
    guard fault != .unreachable,
      let number = (0..<max(1, pages)).first(where: { Self.address($0) == url })
    else { return nil }
    var feed = Feed(kind: .rss)
    feed.title = "A feed"
    if fault == .empty { return feed }
    feed.recovered = fault == .damaged
    if number + 1 < pages { feed.next = [Self.address(number + 1)] }
    let shown = items.dropFirst(number * Self.pageLength).prefix(Self.pageLength)
    feed.entries = PackedArray(
      shown.prefix(fault == .damaged ? 1 : Self.pageLength).map(Self.entry(of:)))
    return feed
  }

  private static func entry(of item: Item) -> Entry {
    var entry = Entry(id: item.id, idSource: .guid)
    entry.title = "Number \(item.serial)"
    entry.published = 1_600_000_000 + item.serial * 86_400
    let address = Address(resource: item.resource, serial: item.serial, token: item.token)
    var media = Media(url: address.url)
    media.type = "video/mp4"
    media.length = item.serial % 2 == 0 ? 20_000 + item.serial : nil
    entry.media = media
    return entry
  }
}
