import Blocks
import Control
package import Host
package import Playback
package import SystemPackage

/// A mount as `feedfs play` sees it.
package struct PlayedMount: Sendable {
  package let path: FilePath
  /// The folders of its feeds. The name is empty for a feed that has the mount to itself.
  private let folders: [String]

  /// - Parameter feed: the folder of the only feed to play; nil plays all feeds, one after the
  ///   other.
  package init(_ path: FilePath, feed: String?) throws(MountError) {
    guard !path.string.utf8.contains(UInt8(ascii: "\n")) else {
      throw MountError(
        .usage, "no list can name \(path), which has a line break; mount it elsewhere")
    }
    self.path = path
    let all = try Self.status(of: path).feeds.map(\.folder)
    folders = feed.map { feed in all.filter { $0 == feed } } ?? all
    guard !folders.isEmpty else {
      throw MountError(
        .noInput, "there is no feed of that name in \(path); `ls` shows their folders")
    }
  }

  /// The playlists of the feeds, which players can open by themselves.
  package var playlists: [String] {
    folders.map { path.pushing(FilePath($0)).appending("playlist.m3u8").string }
  }

  package func listing() throws(MountError) -> PlayedListing {
    var all = PlayedListing([], isWhole: true)
    for folder in folders {
      let document = try MountControl.file(
        FilePath(folder).pushing(".feedfs/feed.json").string, of: path)
      do {
        let place = path.pushing(FilePath(folder)).string
        all = all.followed(by: try PlayedListing(document: document, in: place))
      } catch {
        throw MountError(.unavailable, "\(path) is served by another version of feedfs: \(error)")
      }
    }
    return all
  }

  func condition() throws(MountError) -> PlayCondition {
    Self.condition(try Self.status(of: path))
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

  /// The times of the folders' last changes, in whole seconds. A time changes a second at most
  /// after an entry comes or goes. Nil means that the mount does not answer.
  var stamp: [Int]? {
    let stamps = folders.compactMap { folder -> Int? in
      let digits = try? MountQuestion(.change, at: path.pushing(FilePath(folder))).answer()
      return digits.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
    }
    return stamps.count == folders.count ? stamps : nil
  }

  private static func status(of path: FilePath) throws(MountError) -> MountStatus {
    let document = try MountControl.status(of: path)
    do {
      return try Wire.decode(MountStatus.self, from: document)
    } catch {
      throw MountError(.unavailable, "\(path) is served by another version of feedfs: \(error)")
    }
  }
}
