import Addresses
import Host
import Storage

/// The kind of program for which a web page is resolved.
package enum PageAsker: String, Hashable, Sendable {
  /// A player that the user watches, or a command that fetches what the user names.
  case player
  /// Any other program. Such a program may open all files of the folder.
  case other

  /// - Parameter processes: the names of the process that opens the file, and of its parent.
  package init(of processes: [String]) {
    let isPlayer = processes.first.flatMap(ProgramKind.init(of:)) == .player
    // The parent is feedfs if `feedfs play` has started the player, which can have any name.
    self = isPlayer || processes.dropFirst().contains("feedfs") ? .player : .other
  }
}

/// The resolutions of the last hour. Their number at each site decides whether one more is allowed.
///
/// A site may block a client that asks for hundreds of its pages. So feedfs asks each site 30 times
/// an hour at most. Ten of these 30 are reserved for players.
///
/// ```
/// feedfs resolutions 1
/// 1767225600 other video.example
/// ```
/// A line has the time in seconds since 1970, the asker and the site. A line that cannot be read is
/// left out.
struct ResolutionBudget: WrittenBudget, Hashable {
  static let file = "resolutions"
  static let maxPerHour = 30
  static let reserved = 10
  /// Seconds for which a resolution counts.
  static let period = 3600
  /// The limit for the remembered resolutions of all sites together. A list of links may name any
  /// number of sites.
  private static let maxUses = 2000

  private struct Use: Hashable {
    let at: Int
    let asker: PageAsker
    let site: String
  }

  /// The resolutions, the oldest first.
  private var uses: [Use] = []

  init() {}

  /// Counts one more resolution at `site`, if the budget allows one.
  ///
  /// - Parameter now: seconds since 1970.
  /// - Returns: nil if the resolution was counted, or else the time from which the budget allows
  ///   one, in seconds since 1970.
  mutating func take(_ site: String, for asker: PageAsker, at now: Int) -> Int? {
    // If the clock was set back, earlier resolutions have times in the future. These would count
    // for too long.
    uses.removeAll { $0.at > now || now - $0.at >= Self.period }
    let here = uses.filter { $0.site == site }
    let free = Self.time(whenUnder: Self.maxPerHour, here)
    let freeForAll = Self.time(
      whenUnder: Self.maxPerHour - Self.reserved, here.filter { $0.asker == .other })
    let waits = asker == .player ? free : [free, freeForAll].compactMap(\.self).max()
    guard waits == nil else { return waits }
    uses.append(Use(at: now, asker: asker, site: site))
    uses.removeFirst(max(0, uses.count - Self.maxUses))
    return nil
  }

  /// Returns the time from which fewer than `most` of `uses` still count; nil if fewer than `most`
  /// count now.
  private static func time(whenUnder most: Int, _ uses: [Use]) -> Int? {
    uses.count < most ? nil : uses[uses.count - most].at + period
  }

  // MARK: Text

  static let format = 1
  private static let head = "feedfs resolutions \(format)"

  init(text: String) {
    let lines = text.split(separator: "\n")
    guard lines.first == Self.head[...] else { return }
    uses = lines.dropFirst().suffix(Self.maxUses).compactMap { line in
      let words = line.split(separator: " ")
      guard words.count == 3, let at = Int(words[0]), at > 0,
        let asker = PageAsker(rawValue: String(words[1]))
      else { return nil }
      return Use(at: at, asker: asker, site: String(words[2]))
    }.sorted { $0.at < $1.at }
  }

  var text: String {
    let lines = uses.map { "\($0.at) \($0.asker.rawValue) \($0.site)\n" }
    return Self.head + "\n" + lines.joined()
  }

  /// Returns the site of a page: the page's host without "www." or "m." in front.
  static func site(of page: String) -> String {
    let host = (try? WebAddress(parsing: page))?.host ?? ""
    for prefix in ["www.", "m."] where host.hasPrefix(prefix) {
      return String(host.dropFirst(prefix.utf8.count))
    }
    return host
  }
}
