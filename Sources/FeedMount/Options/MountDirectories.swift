import Blocks
import FeedReading
package import SystemPackage

/// The directories of the files that outlive a mount.
package struct MountDirectories: Hashable, Codable, Sendable {
  /// The cache of all feeds; absolute.
  package let cache: FilePath
  /// The catalogs and logs of all feeds; absolute.
  package let state: FilePath

  package init(cache: FilePath, state: FilePath) {
    self.cache = cache
    self.state = state
  }

  /// Returns the directory of a feed's catalog.
  func state(of choice: FeedChoice) -> FilePath {
    state(of: [choice])
  }

  /// Returns the directory of the files that several feeds share.
  func state(of choices: [FeedChoice]) -> FilePath {
    state.appending(Fingerprint(of: choices.map(Self.key).joined(separator: "\n")).description)
  }

  /// Returns the directory of the files about a mount point.
  func state(ofMount mountPoint: FilePath) -> FilePath {
    state.appending("mounts").appending(Fingerprint(of: mountPoint.string).description)
  }

  private static func key(of choice: FeedChoice) -> String {
    (try? FeedKey(choice.address))?.value ?? choice.address
  }
}
