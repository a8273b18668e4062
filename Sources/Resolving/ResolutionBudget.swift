import Addresses
import Host
import Storage

/// The kind of program for which a page is resolved.
package enum PageAsker: String, Hashable, Sendable {
  /// A player that the user watches, or a command that fetches what the user names.
  case player
  /// Any other program. It may look through the whole folder.
  case other

  /// - Parameter processes: the names of the opening process and of its parent.
  package init(of processes: [String]) {
    let isPlayer = processes.first.flatMap(ProgramKind.init(of:)) == .player
    // `feedfs play` starts the player that the user has chosen.
    self = isPlayer || processes.dropFirst().contains("feedfs") ? .player : .other
  }
}

/// The resolutions of the last hour, and whether there may be one more.
///
/// A site locks out an address that asks for hundreds of its pages. So each site is asked 30 times an
/// hour at most, and ten of these are for players.
///
/// ```
/// feedfs resolutions 1
/// 1767225600 other video.example
/// ```
/// A line has the time in seconds since 1970, the asker and the site. A line that cannot be read is left
/// out.
struct ResolutionBudget: WrittenBudget, Hashable {
  static let file = "resolutions"
  static let maxPerHour = 30
  static let reserved = 10
  /// Seconds for which a resolution counts.
  static let period = 3600
  /// The most resolutions that are remembered, of all sites together. A list of links may name any
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

  /// Counts one more resolution at `site`, if there may be one.
  ///
  /// - Parameter now: seconds since 1970.
  /// - Returns: nil if it was counted, or else the time from which there may be one.
  mutating func take(_ site: String, for asker: PageAsker, at now: Int) -> Int? {
    // A time in the future is from before the clock was set back. It would count for too long.
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

  /// Returns the time when fewer than `most` of `uses` count; nil if that is now.
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

  /// Returns the site of a page: its host without "www." and "m.".
  static func site(of page: String) -> String {
    let host = (try? WebAddress(parsing: page))?.host ?? ""
    for prefix in ["www.", "m."] where host.hasPrefix(prefix) {
      return String(host.dropFirst(prefix.utf8.count))
    }
    return host
  }
}
