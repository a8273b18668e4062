import Addresses
import Blocks
import Control
package import Host
package import Playback
package import SystemPackage

/// The mount that `feedfs play` plays, or some feeds of it. Sends the requests about these feeds.
package struct PlayedMount: Sendable {
  package let path: FilePath
  /// The folders of the feeds to play, with their names at the start of the command. The name is
  /// empty for a feed at the root of the mount.
  let folders: [String]
  /// The address of the feed to play; nil if all feeds of the mount are played.
  private let address: String?
  /// The file to begin with, as the user typed it; nil if the user typed a folder or nothing.
  package let file: String?

  /// - Parameters:
  ///   - feed: the folder of the only feed to play; nil to play all feeds, one after the other.
  ///   - named: the file to begin with, or the folder of the only feed to play, as the user typed
  ///     it.
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

  /// The paths of the feeds' playlists. Players other than mpv get these.
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

  /// Throws if there is nothing to play, because the user has turned the mount offline and no file
  /// is completely cached.
  ///
  /// - Parameter chosen: the path of the file that the user has chosen. This file can be played
  ///   even if only a part of it is cached.
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

  /// Reads the status of the mount, and returns what it says about all files together.
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

  /// The part of a status that concerns all files of a mount together.
  struct Outlook: Hashable, Sendable {
    var condition = PlayCondition.online
    /// The present folders of the feeds. Feeds can be renamed while they are played.
    var folders: [String]
    /// The paths of the files that are completely cached.
    var whole: Set<String> = []
    /// The origins that do not answer, each with the reason.
    var away: [String: String] = [:]
  }

  private func present(_ feeds: [FeedStatus]) -> [String] {
    let played = address.map { address in feeds.filter { $0.address == address } } ?? feeds
    // The status shows addresses without secrets, so several feeds can have the same one there.
    let same = played.filter { folders.contains($0.folder) }
    return (address == nil || same.isEmpty ? played : same).map(\.folder)
  }

  /// Returns which bytes of a file are cached, and whether and how fast further bytes come; nil if
  /// the mount does not answer.
  ///
  /// - Parameter away: the origins that do not answer, each with the reason.
  func supply(of file: String, away: [String: String] = [:]) -> Supply? {
    guard let name = name(of: file) else { return nil }
    let details = try? MountControl.ask(
      .file(name: name), at: path, as: FileDetails.self, within: MountQuestion.timeout)
    return details.map { Self.supply(of: file, $0, away: away) }
  }

  /// Makes the mount end all reads by the process with this number that are waiting for bytes.
  func release(_ process: Int32) {
    _ = try? MountControl.ask(
      .release(process: process), at: path, as: ReleaseOutcome.self,
      within: MountQuestion.timeout)
  }

  /// Reads one byte of a file. Returns whether the byte came. Can block for as long as a read of
  /// the mount can wait (`--read-timeout`).
  ///
  /// - Parameter isWanted: returns whether to wait longer.
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
    // Other programs that have the file open read nothing, or many bytes after their position are
    // cached. So the reader with the fewest cached bytes ahead counts as the player.
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
    // If bytes are coming, there is no reason to report. The speed is an average over some seconds,
    // so it does not show that while there is a failure. The mount forgets a failure when bytes
    // come again.
    supply.reason = file.failure == nil && file.speed ?? 0 > 0 ? nil : reason
    supply.isHopeless = file.failure?.isHopeless ?? false
    return supply
  }

  /// Tells the mount that an entry was played to its end. If the mount cannot be told, that is
  /// ignored, and playing goes on.
  func tellPlayed(_ key: PlayedEntry.Key) {
    guard let folders = try? outlook().folders,
      let entry = try? listing(of: folders).entries.first(where: { $0.key == key })
    else { return }
    var name = FilePath(entry.path)
    guard name.removePrefix(path) else { return }
    _ = try? MountControl.ask(
      .played(name: name.string), at: path, as: PlayedOutcome.self, within: .seconds(2))
  }

  /// Returns the condition of a mount with this status. If all its origins are unreachable, the
  /// mount counts as offline.
  static func condition(_ status: MountStatus) -> PlayCondition {
    switch status.mode {
    case .paused: return .paused
    case .offline: return .offline
    case .online:
      let isAway = status.origins.allSatisfy { $0.condition == .unreachable }
      return isAway && !status.origins.isEmpty ? .offline : .online
    }
  }

  /// Returns the times of the folders' last changes, in whole seconds. When an entry appears or
  /// disappears, the time of its folder changes within a second. Returns nil if the mount does not
  /// answer, or if a folder is missing.
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
