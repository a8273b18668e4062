package import Host
import Blocks
package import FeedMount
import FeedReading
import FoundationEssentials
import HTTP
import Quantities
package import Settings
import Storage
package import SystemPackage

// This file merges the command line, the configuration file and the defaults. An option of the
// command line replaces the setting of the file, which replaces the default. Texts are parsed here
// and nowhere later. `line` has the options of the command line; nil if the command has no such
// options.

extension MountSettings {
  /// Merges the settings of a mount that can be in the configuration file or on the command line.
  package init(
    _ line: MountArguments?, over file: Settings,
    _ environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(CommandError) {
    self.init()
    network = try NetworkOptions(line?.network, over: file, environment)
    if let seconds = line?.readTimeout?.seconds ?? file.readTimeout {
      network.readTimeout = .seconds(seconds)
    }
    minFree = FreeSpaceRule(line, over: file)
    cacheSize = line?.cacheSize ?? file.cacheSize ?? cacheSize
    limitRate = line?.limitRate ?? file.limitRate ?? limitRate
    isMetered = line?.metered ?? file.isMetered ?? isMetered
    fill = line?.fill ?? file.fill ?? fill
    sizes = line?.sizes ?? file.sizes ?? sizes
    passesThrough = line?.passthrough ?? file.passthrough ?? passesThrough
    logLevel = line?.chosenLevel ?? file.logLevel ?? logLevel
  }
}

extension NetworkOptions {
  /// - Parameter environment: the environment of the command, which can name proxies. The daemon
  ///   gets these proxies from the command, and ignores its own environment.
  package init(
    _ line: NetworkArguments?, over file: Settings,
    _ environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(CommandError) {
    try self.init(
      allowedPrivate: file.allowedPrivate + (line?.allowPrivate ?? []),
      proxies: ProxyRule(line?.proxy, over: file, environment),
      authorities: (line?.cacert).map(Directories.absolute)
        ?? file.authorities.map { FilePath($0) },
      pins: file.pins)
  }
}

extension ProxyRule {
  /// Uses the proxy of the command line. If there is none, uses that of the file. If there is none
  /// either, uses the proxies of the environment.
  init(
    _ line: String?, over file: Settings, _ environment: [String: String]
  ) throws(CommandError) {
    do throws(HTTPError) {
      guard let text = line ?? file.proxy else {
        try self.init(environment: environment)
        return
      }
      guard !["", "none", "off"].contains(text) else {
        self.init()
        return
      }
      self.init(try Proxy(parsing: text, source: line == nil ? "proxy in config.toml" : "--proxy"))
    } catch {
      throw CommandError(error)
    }
  }
}

extension FreeSpaceRule {
  init(_ line: MountArguments?, over file: Settings) {
    self = (line?.minFree ?? file.minFree).map(FreeSpaceRule.init) ?? .standard
  }
}

extension FeedChoice {
  /// Merges the settings of one feed. Its own settings replace the settings for all feeds.
  package init(_ feed: Subscription, _ line: MountArguments?, over file: Settings) {
    self.init(Directories.place(feed.typed))
    moved = feed.was == nil ? nil : (try? FeedKey.validate(feed.url)) ?? feed.url
    let set = feed.settings.over(file.defaults)
    name = feed.name
    headers = feed.headers
    if let seconds = line?.refresh?.seconds ?? set.refresh { refreshInterval = .seconds(seconds) }
    media.audio = line?.feedOptions.audio ?? set.audio ?? media.audio
    media.maxHeight = line?.feedOptions.maxHeight ?? set.maxHeight
    media.prefer = line?.feedOptions.prefer?.words ?? set.prefer
    media.streams = line?.feedOptions.streams.map { $0 == .on } ?? set.streams ?? media.streams
    media.languages = line?.feedOptions.languages?.tags ?? set.languages ?? media.languages
    pages = line?.pages?.number ?? set.pages ?? pages
    guessesPages = line?.guessPages ?? set.guessesPages ?? guessesPages
    sidecars = line?.sidecars?.kinds ?? set.sidecars ?? sidecars
    rules = (line?.rules.rules ?? EntryRules()).over(set.rules)
    names = line?.names ?? set.names
    keep = line?.keeping.rule ?? set.keep
    if keep == .nothing { keep = nil }
    take(set.resolver)
    resolvesAhead = line?.resolve?.ahead ?? set.resolvesAhead ?? resolvesAhead
  }
}

extension FeedChoice {
  /// Applies the setting `resolver`. Without it, feedfs reads a web page only if the feed says that
  /// there is something to watch on it.
  private mutating func take(_ setting: ResolverSetting?) {
    switch setting {
    case .command(let command): resolver = command
    case .ytDLP: resolver = Self.ytDLP
    case .page, nil: media.announcedPages = true
    case .some(.none): break
    }
    media.pages = !resolver.isEmpty || setting == .page
  }
}

extension MountOptions {
  /// Merges the options of a mount, and checks each feed.
  package init(
    of feeds: [Subscription], at mountPoint: FilePath, _ line: MountArguments, over file: Settings
  ) throws(CommandError) {
    let directories = try MountDirectories(line.cacheDir, over: file)
    self.init(
      feeds: try Self.choices(of: feeds, line, over: file), mountPoint: mountPoint,
      directories: directories,
      settings: try MountSettings(line, over: file))
    allowsNonempty = line.nonempty
    let words = line.options.flatMap { $0.split(separator: ",").map(String.init) }
    allowsOther = line.allowOther || words.contains("allow_other")
    mode = line.offline ? .offline : .online
    mountOptions = words.filter { $0 != "allow_other" }
  }

  /// Merges the options of each feed, and checks it.
  package static func choices(
    of feeds: [Subscription], _ line: MountArguments, over file: Settings
  ) throws(CommandError) -> [FeedChoice] {
    let netrc = NetrcFile.own
    var choices: [FeedChoice] = []
    for feed in feeds {
      var choice = FeedChoice(feed, line, over: file)
      choice.login = try netrc?.login(for: choice.address)
      choices.append(choice)
    }
    for choice in choices { try choice.check() }
    return choices
  }
}

extension MountDirectories {
  /// Merges the directories. Throws if the cache and the state would be in the same directory.
  ///
  /// - Parameter line: the cache directory on the command line.
  init(
    _ line: String?, over file: Settings, of own: Directories = .own
  ) throws(CommandError) {
    let cache =
      if let path = line ?? file.cacheDirectory {
        Directories.absolute(path)
      } else {
        try own.cache
      }
    self.init(cache: cache, state: try own.state)
    // A mount locks its feed's folder in both directories, and could not take the same lock twice.
    guard self.cache.lexicallyNormalized() != state.lexicallyNormalized() else {
      throw CommandError(
        .configuration,
        "the cache and the state would both lie in \(cache); "
          + "set --cache-dir, XDG_CACHE_HOME or XDG_STATE_HOME to another directory")
    }
  }
}

extension Settings {
  /// Returns the player to start. Does not read the configuration file if the command line names a
  /// player.
  package static func player(
    _ line: String?, over file: () throws(CommandError) -> Settings
  ) throws(CommandError) -> String {
    if let line { return line }
    return try file().player ?? "mpv"
  }
}
