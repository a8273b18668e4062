import Filling
import Host
import Logging
import Resolving
import Storage
import World

/// The parts of a mount that all its feeds share.
struct FeedNeeds: Sendable {
  let directories: MountDirectories
  let settings: MountSettings
  let world: World
  let preloader: Preloader
  /// Asks for sizes; nil if it should not.
  var prober: SizeProber?
  /// The size limit of the cache; nil if it has none.
  var limit: CacheLimit?
  let networkControl: NetworkControl
  /// The rules of fetching that the options do not change.
  var rules = FillRules()
  /// The turns of resolutions.
  var turns = ResolutionTurns()
  let log: Logger
}
