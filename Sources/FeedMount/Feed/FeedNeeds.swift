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
  /// Asks origins for the sizes of files; nil if the user wants to learn sizes only when files are
  /// opened.
  var prober: SizeProber?
  /// The size limit of the cache; nil if it has none.
  var limit: CacheLimit?
  let networkControl: NetworkControl
  /// The rules of fetching, before the user's options are applied to them.
  var rules = FillRules()
  /// Lets the resolutions of all feeds take turns at each site.
  var turns = ResolutionTurns()
  let log: Logger
}
