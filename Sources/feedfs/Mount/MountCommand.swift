import Blocks
import ArgumentParser
import Control
import FeedMount
import Catalog
import FeedReading
import Settings
import SystemPackage

struct MountCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mount", abstract: "Mount a feed as a folder.")

  @Argument(help: "An empty directory.", completion: .directory)
  var mountPoint: String

  @Option(
    help: ArgumentHelp(
      "The feed: an http or https address, or a file. May be given several times.", valueName: "url"
    ))
  var feed: [String] = []

  @OptionGroup
  var feedOptions: FeedOptions

  @Option(
    help: ArgumentHelp(
      "The number of pages to read at once. Further pages are read when the last entries are opened.",
      valueName: "number|all"))
  var pages: PageCount?

  @Flag(
    inversion: .prefixedNo,
    help: "Look for further pages at ?paged=N, as on WordPress sites.")
  var guessPages: Bool?

  @Option(
    help: ArgumentHelp(
      "The files to show beside each entry: subtitles, covers, nfo; or none.", valueName: "kind,…"))
  var sidecars: SidecarKinds?

  @Option(help: "The directory of the cache; by default ~/.cache/feedfs.", completion: .directory)
  var cacheDir: String?

  @Flag(help: "Stay in the foreground, and log to stderr.")
  var foreground = false

  @Flag(help: "Mount over a directory that is not empty.")
  var nonempty = false

  @Flag(help: "Let other users see the mount.")
  var allowOther = false

  @OptionGroup
  var network: NetworkOptions

  @Option(
    help: ArgumentHelp(
      "Seconds after which a read that waits for the network ends with an error.",
      valueName: "seconds"))
  var readTimeout: Double?

  @Option(
    help: ArgumentHelp("Seconds between two refreshes of the feed.", valueName: "seconds"))
  var refresh: Double?

  @Option(
    help: ArgumentHelp(
      "The most bytes to fetch in a second (500K, 2M); `feedfs limit` changes it.",
      valueName: "rate"))
  var limitRate: String?

  @Flag(help: "Fetch nothing until `feedfs online`; cached files can be played.")
  var offline = false

  @Option(
    help: ArgumentHelp(
      "The most space that the cache may take: bytes (20G), or unlimited. The longest unused files go first.",
      valueName: "space"))
  var cacheSize: String?

  @Option(
    help: ArgumentHelp(
      "The space to leave free on the disk: a share (5%) or bytes (10G).", valueName: "space"))
  var minFree: String?

  @Option(
    help: ArgumentHelp(
      "How much of a file to fetch: what is read soon (window), the rest once it was played for a minute"
        + " (rest), or all of it once it is read (all).", valueName: "window|rest|all"))
  var fill: FillPolicy?

  @Flag(
    inversion: .prefixedNo,
    help: "Let the kernel read complete files without the daemon, where it can (root, Linux 6.9).")
  var passthrough: Bool?

  @Option(help: ArgumentHelp("How much to log.", valueName: "level"))
  var logLevel: LogLevel?

  @Option(
    name: .short,
    help: ArgumentHelp("Further mount options: see mount.fuse3(8).", valueName: "option,…"))
  var options: [String] = []

  /// True in the daemon: its options come over stdin, and its outcome goes to stdout: see `Daemon`.
  @Flag(help: .hidden)
  var handedOver = false

  func validate() throws {
    guard 1...86_400 ~= readTimeout ?? 60 else {
      throw ValidationError("--read-timeout takes seconds from 1 to 86400.")
    }
    guard 1...86_400 ~= refresh ?? 60 else {
      throw ValidationError("--refresh takes seconds from 1 to 86400.")
    }
  }

  func run() async throws {
    if handedOver { return try await Daemon.serve() }
    do throws(MountError) {
      let options = try mountOptions()
      if foreground {
        try await Service.run(options) {}
      } else {
        try Daemon.launch(options)
      }
    } catch {
      throw complain(error)
    }
  }

  /// Returns the options of the command, else those of the configuration file.
  private func mountOptions() throws(MountError) -> MountOptions {
    let settings = try configuration()
    let feeds = feed.isEmpty ? settings.feeds : feed.map { subscription(to: $0, in: settings) }
    guard !feeds.isEmpty else {
      throw MountError(
        .usage,
        "no feed is given, and you subscribe to none; `feedfs mount \(mountPoint) --feed URL` mounts one,"
          + " `feedfs feed add URL` subscribes to one")
    }
    var all = MountOptions(
      feeds: try choices(of: feeds, settings), mountPoint: Directories.absolute(mountPoint),
      cacheDirectory: try Directories.cache(named: cacheDir ?? settings.cacheDirectory),
      stateDirectory: try Directories.state)
    all.allowsNonempty = nonempty
    all.allowsOther = allowOther
    all.take(settings)
    all.allowedPrivate += network.allowPrivate
    all.proxy = network.proxy ?? all.proxy
    all.authorities = network.cacert.map(Directories.absolute) ?? all.authorities
    all.readTimeout = readTimeout ?? settings.readTimeout ?? all.readTimeout
    all.minFree = minFree ?? settings.minFree ?? all.minFree
    all.cacheSize = cacheSize ?? settings.cacheSize ?? all.cacheSize
    all.limitRate = limitRate ?? settings.limitRate ?? all.limitRate
    all.mode = offline ? .offline : .online
    all.fill = fill ?? settings.fill.flatMap(FillPolicy.init) ?? all.fill
    all.passesThrough = passthrough ?? settings.passthrough ?? all.passesThrough
    all.logLevel = logLevel?.rawValue ?? settings.logLevel ?? all.logLevel
    all.mountOptions = options
    try all.check()
    return all
  }

  /// Returns the settings of the configuration file. Checks them separately: an error names the
  /// file.
  private func configuration() throws(MountError) -> Settings {
    guard let file = try? ConfigurationFile.own else { return Settings() }
    let settings = try file.settings()
    var all = MountOptions(
      feeds: settings.feeds.map { choice(of: $0, settings) }, mountPoint: "/",
      cacheDirectory: "/", stateDirectory: "/")
    all.take(settings)
    all.minFree = settings.minFree ?? all.minFree
    all.cacheSize = settings.cacheSize ?? all.cacheSize
    all.limitRate = settings.limitRate
    do {
      try all.check()
    } catch {
      throw MountError(.configuration, "\(file.path): \(error)")
    }
    return settings
  }

  /// Returns the subscription to the typed address with its settings, or a new one without.
  private func subscription(to typed: String, in settings: Settings) -> Subscription {
    let place = Directories.place(typed)
    return Subscriptions.known(place, in: settings) ?? Subscription(url: place)
  }

  private func choices(
    of feeds: [Subscription], _ settings: Settings
  ) throws(MountError) -> [FeedChoice] {
    let netrc = NetrcFile.own
    var choices: [FeedChoice] = []
    for feed in feeds {
      var choice = choice(of: feed, settings)
      choice.login = try netrc?.login(for: choice.address)
      choices.append(choice)
    }
    return choices
  }

  private func choice(of feed: Subscription, _ settings: Settings) -> FeedChoice {
    let set = feed.settings.over(settings.defaults)
    var choice = FeedChoice(Directories.place(feed.url))
    choice.name = feed.name
    choice.headers = feed.headers
    choice.refreshInterval = refresh ?? set.refresh ?? choice.refreshInterval
    choice.media.audio = feedOptions.audio ?? set.audio ?? false
    choice.media.maxHeight = feedOptions.maxHeight ?? set.maxHeight
    choice.pages = pages?.number ?? set.pages ?? choice.pages
    choice.guessesPages = guessPages ?? set.guessesPages ?? false
    choice.sidecars =
      sidecars?.kinds ?? set.sidecars.map { Set($0.compactMap(Sidecar.Kind.init)) }
      ?? choice.sidecars
    choice.resolver = set.resolver ?? []
    choice.media.pages = !choice.resolver.isEmpty
    return choice
  }
}

/// The number of pages of a feed that are read before its last entries are opened.
struct PageCount: ExpressibleByArgument {
  let number: Int

  /// Parses "all", or a number from 1.
  init?(argument: String) {
    guard argument != "all" else {
      number = .max
      return
    }
    guard let number = Int(argument), number > 0 else { return nil }
    self.number = number
  }
}

/// Kinds of sidecars, "subtitles,covers,nfo" or "none".
struct SidecarKinds: ExpressibleByArgument {
  let kinds: Set<Sidecar.Kind>

  init?(argument: String) {
    guard argument != "none" else {
      kinds = []
      return
    }
    let words = argument.split(separator: ",").map(String.init)
    let known = words.compactMap(Sidecar.Kind.init)
    guard !known.isEmpty, known.count == words.count else { return nil }
    kinds = Set(known)
  }
}

extension FillPolicy: ExpressibleByArgument {}

/// The lowest level that is logged.
enum LogLevel: String, ExpressibleByArgument, CaseIterable {
  case error, warning, info, debug
}
