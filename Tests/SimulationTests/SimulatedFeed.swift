import FeedReading
import TestSupport

@testable import Catalog
@testable import FeedReading
@testable import HTTP

/// The publisher's feed: its entries, newest first, in pages of three, as RSS.
struct SimulatedFeed {
  struct Item {
    let serial: Int
    let resource: Int
    var id: String
    var token: Int
    var title: String

    /// Where its media lie now.
    var media: Address { Address(resource: resource, serial: serial, token: token) }
  }

  enum Fault: CaseIterable {
    case unreachable, empty, damaged
  }

  static let pageLength = 3

  var fault: Fault?
  private(set) var items: [Item] = []
  private var lastSerial = 0
  private var token = 0

  init(_ random: inout SeededRandom) {
    for _ in 0..<(2 + random.below(6)) { publish(&random) }
  }

  mutating func publish(_ random: inout SeededRandom) {
    lastSerial += 1
    let resource = random.below(Resource.all.count)
    items.insert(
      Item(
        serial: lastSerial, resource: resource, id: "id\(lastSerial)", token: token,
        title: "Number \(lastSerial)"), at: 0)
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

  /// Gives the newest entry another title.
  mutating func retitle() {
    if !items.isEmpty { items[0].title += "+" }
  }

  mutating func swap(_ random: inout SeededRandom) {
    guard items.count > 1 else { return }
    items.swapAt(random.below(items.count), random.below(items.count))
  }

  /// Gives all addresses this token.
  mutating func move(to token: Int) {
    self.token = token
    for index in items.indices { items[index].token = token }
  }

  static let first = "http://f.example/feed"

  private static func address(_ page: Int) -> String {
    page == 0 ? first : "\(first)?page=\(page)"
  }

  // MARK: Answers

  /// Returns the answer to a request for a page; nil: the feed is unreachable.
  func answer(_ request: DocumentRequest) -> SimulatedWeb.DocumentAnswer? {
    guard fault != .unreachable else { return nil }
    guard let text = page(request.url) else { return (ResponseHead(status: 404), []) }
    let tag = "\"\(Self.checksum(text))\""
    var head = ResponseHead(status: request.entityTag == tag ? 304 : 200, ["ETag": tag])
    head.add("Content-Type", "application/rss+xml")
    return (head, head.status == 304 ? [] : Array(text.utf8))
  }

  /// Returns the page at `url`; nil: there is none.
  private func page(_ url: String) -> String? {
    let pages = (items.count + Self.pageLength - 1) / Self.pageLength
    guard let number = (0..<max(1, pages)).first(where: { Self.address($0) == url }) else {
      return nil
    }
    let shown = items.dropFirst(number * Self.pageLength).prefix(Self.pageLength)
    var lines = [
      "<rss version='2.0' xmlns:atom='http://www.w3.org/2005/Atom'",
      " xmlns:podcast='https://podcastindex.org/namespace/1.0'><channel><title>A feed</title>",
    ]
    if fault != .empty {
      if number + 1 < pages {
        lines.append("<atom:link rel='next' href='\(Self.address(number + 1))'/>")
      }
      lines += shown.map(Self.text)
    }
    // The connection breaks behind the first entry.
    if fault == .damaged { return lines.prefix(number + 1 < pages ? 4 : 3).joined() + "<item><ti" }
    return lines.joined() + "</channel></rss>"
  }

  private static func text(of item: Item) -> String {
    let type = item.media.isStream ? "application/x-mpegURL" : "video/mp4"
    let length = item.serial % 2 == 0 ? " length='\(20_000 + item.serial)'" : ""
    let subtitles =
      item.serial % 2 == 0
      ? "<podcast:transcript url='\(Subtitles(serial: item.serial).url)' type='text/vtt' language='en'/>"
      : ""
    return """
      <item><guid isPermaLink='false'>\(item.id)</guid><title>\(item.title)</title>\
      <pubDate>\(FeedDate.day(1_600_000_000 + item.serial * 86_400))</pubDate>\
      <enclosure url='\(item.media.url)' type='\(type)'\(length)/>\(subtitles)</item>
      """
  }

  private static func checksum(_ text: String) -> UInt64 {
    text.utf8.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
  }
}

/// The subtitles of an entry at the origin.
struct Subtitles {
  let serial: Int

  init(serial: Int) {
    self.serial = serial
  }

  init?(_ url: String) {
    guard url.hasPrefix("http://o.example/s"), url.hasSuffix(".vtt"),
      let serial = Int(url.dropFirst(18).dropLast(4))
    else { return nil }
    self.init(serial: serial)
  }

  var url: String { "http://o.example/s\(serial).vtt" }

  var content: [UInt8] {
    Array("WEBVTT\n\n00:00.000 --> 00:0\(serial % 10).000\nEntry \(serial)\n".utf8)
  }

  /// Returns the origin's answer; nil: it gives none.
  func answer(_ fault: SimulatedOrigin.Fault?) -> SimulatedWeb.DocumentAnswer? {
    switch fault {
    case .silence, .unanswered: nil
    case .gone: (ResponseHead(status: 404), [])
    case .serverError: (ResponseHead(status: 500), [])
    case .busy: (ResponseHead(status: 503), [])
    case .portal: (ResponseHead(status: 200, ["Content-Type": "text/html"]), Array("<html>".utf8))
    default: (ResponseHead(status: 200, ["Content-Type": "text/vtt"]), content)
    }
  }
}
