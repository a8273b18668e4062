import Filling
import Glibc
import HTTP
import Resolving
import Storage
import StreamFiles
import World

extension VersionMaker {
  /// Creates the maker of a feed's versions.
  init(
    of feed: OpenedFeed, with needs: FeedNeeds, resolver: Resolver?,
    complain: @escaping @Sendable (String) -> Void,
    tell: @escaping @Sendable (_ event: Event, _ inode: UInt64) -> Void
  ) {
    let (world, control) = (needs.world, needs.networkControl)
    let origins = OriginNeeds(
      client: world.network, feed: feed.choice.typed, resolver: resolver,
      failures: Failures(now: { world.wall.seconds }, needs.log),
      films: StreamMaker(
        choosing: feed.choice.media, of: feed.choice.typed, cache: feed.cache, in: world),
      tasks: world.tasks)
    self.init(
      world: world, origins: origins, cache: feed.cache,
      timekeeper: world.timekeeper("feedfs.time"), rules: needs.fillRules,
      mode: { control.mode }, isSparing: { control.isSparing },
      lines: KnownLines(in: feed.directory, on: world.disk),
      complain: complain, tell: tell)
  }
}

extension FeedNeeds {
  /// The rules of fetching, with the user's options.
  fileprivate var fillRules: FillRules {
    var rules = rules
    rules.waits.readTimeout = settings.network.readTimeout
    rules.ahead.wholeAfter = settings.fill.wholeAfter
    rules.growth.maxGrowth = settings.maxGrowth
    rules.growth.kernelPage = max(4 << 10, sysconf(Int32(_SC_PAGESIZE)))
    return rules
  }
}
