import Addresses
import Blocks
import Control
package import Host
package import Playback
package import SystemPackage

/// A mount as `feedfs play` sees it.
package struct PlayedMount: Sendable {
  package let path: FilePath
  /// The folders of the feeds to play, as they were at the start. The name is empty for a feed at
  /// the root of the mount.
  let folders: [String]
  /// The address of the only feed to play; nil for all.
  private let address: String?
  /// The file to begin with, as it was named; nil if a folder was named, or nothing.
  package let file: String?

  /// - Parameters:
  ///   - feed: the folder of the only feed to play; nil plays all feeds, one after the other.
  ///   - named: the file to begin with, or the folder of the only feed to play.
  package init(_ path: FilePath, feed: String?, named: String? = nil) throws(CommandError) {
    guard !path.string.utf8.contains(UInt8(ascii: "\n")) else {
      throw CommandError(
        .usage,
        "\(path) has a line break, which playlists cannot hold; mount the feed at another path")
    }
    self.path = path
    let all = try Self.status(of: path).feeds
    let isFolder = all.contains { $0.folder == named }
    file = isFolder ? nil : named
    let chosen = isFolder ? named : feed
    let played = chosen.map { folder in all.filter { $0.folder == folder } } ?? all
    folders = played.map(\.folder)
    address = chosen == nil ? nil : played.first?.address
    guard !folders.isEmpty else {
      throw CommandError(
        .noInput, "\(path) has no folder of a feed with that name; `ls \(path)` shows the folders")
    }
  }

  /// The paths of the feeds' playlists, for players that are not mpv.
  package var playlists: [String] {
    folders.map { path.pushing(FilePath($0)).appending("playlist.m3u8").string }
  }

  package func listing() throws(CommandError) -> PlayedListing { try listing(of: folders) }

  /// - Parameter folders: the present folders of the feeds.
  func listing(of folders: [String]) throws(CommandError) -> PlayedListing {
    var all = PlayedListing([], isWhole: true)
    for folder in folders {
      let document = try MountControl.file(
        FilePath(folder).pushing(".feedfs/feed.json").string, of: path)
      do {
        let place = path.pushing(FilePath(folder)).string
        all = all.followed(by: try PlayedListing(document: document, in: place))
      } catch {
        throw CommandError(
          .unavailable,
          "\(path) is served by another version of feedfs; unmount it, and mount it again (\(error))"
        )
      }
    }
    return all
  }

  /// Throws if the user has turned the mount offline and no file is cached as a whole, so that
  /// there is nothing to play.
  ///
  /// - Parameter chosen: the path of the file that the user has chosen. A part of it is enough.
  package func checkThatSomethingPlays(_ chosen: String?) throws(CommandError) {
    let status = try Self.status(of: path)
    let name = chosen.flatMap(name)
    let plays = status.files.contains {
      $0.state == .complete || $0.name == name && $0.cached > 0
    }
    guard status.mode == .offline, !plays else { return }
    throw CommandError(
      .unavailable,
      "\(path) is offline, and no file is complete in its cache; `feedfs online` fetches again")
  }

  /// Returns the part of the status that holds for all files.
  func outlook() throws(CommandError) -> Outlook {
    let status = try Self.status(of: path)
    let whole = status.files.filter { $0.state == .complete }
    let away = status.origins.filter { $0.condition == .unreachable }
    return Outlook(
      condition: Self.condition(status), folders: present(status.feeds),
      whole: Set(whole.map { path.pushing(FilePath($0.name)).string }),
      away: Dictionary(
        away.map { ($0.origin, $0.lastError ?? "unreachable") }, uniquingKeysWith: { $1 }))
  }

  /// The state of a mount that holds for all of its files.
  struct Outlook: Hashable, Sendable {
    var condition = PlayCondition.online
    /// The present folders of the feeds. Feeds can be renamed while they are played.
    var folders: [String]
    /// The paths of the files that are cached as a whole.
    var whole: Set<String> = []
    /// The origins that do not answer, and the reasons.
    var away: [String: String] = [:]
  }

  private func present(_ feeds: [FeedStatus]) -> [String] {
    let played = address.map { address in feeds.filter { $0.address == address } } ?? feeds
    // Addresses are shown without secrets, so several feeds may have the same one.
    let same = played.filter { folders.contains($0.folder) }
    return (address == nil || same.isEmpty ? played : same).map(\.folder)
  }

  /// Returns which bytes of a file are cached, and how the others come; nil if the mount does not
  /// say.
  ///
  /// - Parameter away: the origins that do not answer, and the reasons.
  func supply(of file: String, away: [String: String] = [:]) -> Supply? {
    guard let name = name(of: file) else { return nil }
    let details = try? MountControl.ask(
      .file(name: name), at: path, as: FileDetails.self, within: MountQuestion.timeout)
    return details.map { Self.supply(of: file, $0, away: away) }
  }

  /// Ends the reads in which a process waits.
  func release(_ process: Int32) {
    _ = try? MountControl.ask(
      .release(process: process), at: path, as: ReleaseOutcome.self,
      within: MountQuestion.timeout)
  }

  /// Reads one byte of a file. Returns whether it came, which may take as long as a read may wait.
  ///
  /// - Parameter isWanted: returns whether to go on waiting.
  func hasByte(of file: String, at place: Int, while isWanted: () -> Bool) -> Bool {
    let byte = try? MountQuestion(.byte, "\(place)", at: FilePath(file)).answer(while: isWanted)
    return byte?.isEmpty == false
  }

  /// Returns the name that the file at an absolute path has in the mount; nil if it is not in the
  /// mount.
  private func name(of file: String) -> String? {
    let folder = path.string + "/"
    return file.hasPrefix(folder) ? String(file.dropFirst(folder.utf8.count)) : nil
  }

  static func supply(
    of path: String, _ details: FileDetails, away: [String: String] = [:]
  ) -> Supply {
    let file = details.file
    // Other programs that have the file open read nothing, or have many cached bytes ahead of them.
    // So the reader with the fewest cached bytes ahead counts as the player.
    let reader = (file.readers ?? []).filter { $0.position + $0.ahead < file.size ?? .max }
      .min { $0.ahead < $1.ahead }
    let condition: PlayCondition =
      switch details.mode {
      case .online: .online
      case .paused: .paused
      case .offline: .offline
      }
    let origin = try? WebAddress(parsing: details.url).origin
    let reason = file.reason ?? origin.flatMap { away[$0.description] } ?? file.failure?.what
    var supply = Supply(path: path, condition: condition)
    supply.isWhole = file.state == .complete
    supply.isWaiting = file.waiting ?? 0 > 0
    supply.size = file.size
    supply.cached = (file.extents ?? []).map { $0.from..<max($0.from, $0.until) }
    supply.reader = reader.map { .init(ahead: $0.ahead, edge: $0.position + $0.ahead) }
    supply.rate = file.duration.flatMap { $0 >= 1 ? Int(Double(file.size ?? 0) / $0) : nil }
    supply.host = file.host ?? origin?.authority
    // The mount forgets a failure when bytes come. The speed lags behind by some seconds, so it
    // says nothing while there is a failure.
    supply.reason = file.failure == nil && file.speed ?? 0 > 0 ? nil : reason
    supply.isHopeless = file.failure?.isHopeless ?? false
    return supply
  }

  /// Tells the mount that an entry was played to its end. Playing goes on if the mount does not
  /// hear it.
  func tellPlayed(_ key: PlayedEntry.Key) {
    guard let folders = try? outlook().folders,
      let entry = try? listing(of: folders).entries.first(where: { $0.key == key })
    else { return }
    var name = FilePath(entry.path)
    guard name.removePrefix(path) else { return }
    _ = try? MountControl.ask(
      .played(name: name.string), at: path, as: PlayedOutcome.self, within: .seconds(2))
  }

  /// Returns the condition that follows from a status. A mount whose origins are all unreachable is
  /// as good as offline.
  static func condition(_ status: MountStatus) -> PlayCondition {
    switch status.mode {
    case .paused: return .paused
    case .offline: return .offline
    case .online:
      let isAway = status.origins.allSatisfy { $0.condition == .unreachable }
      return isAway && !status.origins.isEmpty ? .offline : .online
    }
  }

  /// Returns the times of the folders' last changes, in whole seconds. When an entry comes or goes,
  /// the time changes within a second. Nil means that the mount does not answer, or that a folder
  /// is missing.
  func stamp(of folders: [String]) -> [Int]? {
    let stamps = folders.compactMap { folder -> Int? in
      let digits = try? MountQuestion(.change, at: path.pushing(FilePath(folder))).answer()
      return digits.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
    }
    return stamps.count == folders.count ? stamps : nil
  }

  private static func status(of path: FilePath) throws(CommandError) -> MountStatus {
    let document = try MountControl.status(of: path)
    do {
      return try Wire.decode(MountStatus.self, from: document)
    } catch {
      throw CommandError(
        .unavailable,
        "\(path) is served by another version of feedfs; unmount it, and mount it again (\(error))")
    }
  }
}
