package import Host
import Blocks
package import FeedMount
import Catalog
import FeedReading
package import Settings
import Storage
package import SystemPackage

// Command line, configuration file and defaults meet only here. The command line wins over the
// file, and the file over the default. Texts become values here, and stay values afterwards. A
// `line` that is nil stands for a command that has no such options, or gives none.

extension MountSettings {
  /// Merges all settings that the configuration file can set for a mount too.
  package init(_ line: MountArguments?, over file: Settings) throws(MountError) {
    self.init()
    network = try NetworkOptions(line?.network, over: file)
    if let seconds = line?.readTimeout ?? file.readTimeout {
      network.readTimeout = .seconds(seconds)
    }
    minFree = try FreeSpaceRule(line, over: file)
    cacheSize = try Self.value("--cache-size", line?.cacheSize ?? file.cacheSize) ?? cacheSize
    limitRate = try Self.value("--limit-rate", line?.limitRate ?? file.limitRate) ?? limitRate
    fill = line?.fill ?? file.fill.flatMap(FillPolicy.init) ?? fill
    passesThrough = line?.passthrough ?? file.passthrough ?? passesThrough
    logLevel = line?.logLevel ?? file.logLevel.flatMap(LogLevel.init) ?? logLevel
  }

  /// Parses the text of an option; returns nil if there is no text.
  fileprivate static func value<Value: WrittenValue>(
    _ name: String, _ text: String?
  ) throws(MountError) -> Value? {
    guard let text else { return nil }
    guard let value = Value(parsing: text) else {
      throw MountError(.usage, "\(name) \(text): write it \(Value.form)")
    }
    return value
  }
}

extension NetworkOptions {
  package init(_ line: NetworkArguments?, over file: Settings) throws(MountError) {
    try self.init(
      allowedPrivate: file.allowedPrivate + (line?.allowPrivate ?? []),
      proxy: line?.proxy ?? file.proxy,
      authorities: (line?.cacert).map(Directories.absolute)
        ?? file.authorities.map { FilePath($0) },
      pins: file.pins)
  }
}

extension FreeSpaceRule {
  init(_ line: MountArguments?, over file: Settings) throws(MountError) {
    self = try MountSettings.value("--min-free", line?.minFree ?? file.minFree) ?? .standard
  }
}

extension FeedChoice {
  /// Merges the settings of one feed. Its own settings win over those for all feeds.
  package init(_ feed: Subscription, _ line: MountArguments?, over file: Settings) {
    self.init(Directories.place(feed.typed))
    moved = feed.was == nil ? nil : (try? FeedKey.validate(feed.url)) ?? feed.url
    let set = feed.settings.over(file.defaults)
    name = feed.name
    headers = feed.headers
    if let seconds = line?.refresh ?? set.refresh { refreshInterval = .seconds(seconds) }
    media.audio = line?.feedOptions.audio ?? set.audio ?? media.audio
    media.maxHeight = line?.feedOptions.maxHeight ?? set.maxHeight
    media.prefer = line?.feedOptions.prefer?.words ?? set.prefer
    media.streams = line?.feedOptions.streams.map { $0 == .on } ?? set.streams ?? media.streams
    media.languages = line?.feedOptions.languages?.tags ?? set.languages ?? media.languages
    pages = line?.pages?.number ?? set.pages ?? pages
    guessesPages = line?.guessPages ?? set.guessesPages ?? guessesPages
    sidecars =
      line?.sidecars?.kinds ?? set.sidecars.map { Set($0.compactMap(Sidecar.Kind.init)) }
      ?? sidecars
    take(set.resolver)
    resolvesAhead = line?.resolve?.ahead ?? set.resolvesAhead ?? resolvesAhead
  }
}

extension FeedChoice {
  /// Without a setting only those pages are read of which the feed says that there is something to watch.
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
  ) throws(MountError) {
    let netrc = NetrcFile.own
    var choices: [FeedChoice] = []
    for feed in feeds {
      var choice = FeedChoice(feed, line, over: file)
      choice.login = try netrc?.login(for: choice.address)
      choices.append(choice)
    }
    let directories = try MountDirectories(line.cacheDir, over: file)
    for choice in choices { try choice.check() }
    self.init(
      feeds: choices, mountPoint: mountPoint, directories: directories,
      settings: try MountSettings(line, over: file))
    allowsNonempty = line.nonempty
    allowsOther = line.allowOther
    mode = line.offline ? .offline : .online
    mountOptions = line.options
  }
}

extension MountDirectories {
  /// Throws if the cache and the state would lie in one directory.
  ///
  /// - Parameter line: the cache directory on the command line.
  init(
    _ line: String?, over file: Settings, of own: Directories = .own
  ) throws(MountError) {
    let cache =
      if let path = line ?? file.cacheDirectory {
        Directories.absolute(path)
      } else {
        try own.cache
      }
    self.init(cache: cache, state: try own.state)
    // A mount locks its feed's folder in each of them.
    guard self.cache.lexicallyNormalized() != state.lexicallyNormalized() else {
      throw MountError(
        .configuration,
        "the cache and the state would both lie in \(cache); "
          + "set --cache-dir, XDG_CACHE_HOME or XDG_STATE_HOME to another directory")
    }
  }
}

extension Settings {
  /// Returns the player. Does not read the file if the command line names a player.
  package static func player(
    _ line: String?, over file: () throws(MountError) -> Settings
  ) throws(MountError) -> String {
    if let line { return line }
    return try file().player ?? "mpv"
  }
}
