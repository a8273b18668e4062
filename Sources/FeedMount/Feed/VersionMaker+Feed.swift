import Glibc
import HTTP
import Streaming

extension VersionMaker {
  /// Creates the maker of a feed's versions.
  init(
    of feed: OpenedFeed, by services: FeedServices, resolver: Resolver?, lines: KnownLines,
    complain: @escaping @Sendable (String) -> Void,
    tell: @escaping @Sendable (_ event: Event, _ inode: UInt64) -> Void
  ) {
    let (world, control) = (services.world, services.networkControl)
    let origins = OriginServices(
      client: world.network, feed: feed.choice.typed, resolver: resolver,
      failures: Failures(now: { world.wall.seconds }, services.log),
      films: StreamMaker(for: feed.choice, cache: feed.cache, in: world), tasks: world.tasks)
    self.init(
      world: world, origins: origins, cache: feed.cache,
      timekeeper: world.timekeeper("feedfs.time"), rules: services.fillRules,
      mode: { control.mode }, isSparing: { control.isSparing }, lines: lines,
      complain: complain, tell: tell)
  }
}

extension FeedServices {
  /// The rules of fetching, with the user's options.
  fileprivate var fillRules: FillRules {
    var rules = rules
    rules.readTimeout = settings.network.readTimeout
    rules.wholeAfter = settings.fill.wholeAfter
    rules.longestGrowth = settings.longestGrowth
    rules.kernelPage = max(4 << 10, sysconf(Int32(_SC_PAGESIZE)))
    return rules
  }
}
