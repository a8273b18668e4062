import ArgumentParser
import FeedMount
import SystemPackage

struct MountCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mount", abstract: "Mount a feed as a folder.")

  @Argument(help: "An empty directory.", completion: .directory)
  var mountPoint: String

  @Option(
    help: ArgumentHelp(
      "A feed, by http or https, or a file; may be given several times.", valueName: "url"))
  var feed: [String] = []

  @OptionGroup
  var feedOptions: FeedOptions

  @Option(
    help: ArgumentHelp(
      "Read so many pages of the feed at once; the others when the last entries are opened.",
      valueName: "number|all"))
  var pages: PageCount?

  @Flag(help: "Look for further pages with ?paged=N, as WordPress has them.")
  var guessPages = false

  @Option(
    help: ArgumentHelp(
      "What lies beside the entries: subtitles, covers, nfo; or none.", valueName: "kind,…"))
  var sidecars: SidecarKinds?

  @Option(help: "Where bytes are kept; by default ~/.cache/feedfs.", completion: .directory)
  var cacheDir: String?

  @Flag(help: "Stay in the foreground, and log to stderr.")
  var foreground = false

  @Flag(help: "Mount over a directory that is not empty.")
  var nonempty = false

  @Flag(help: "Let other users see the mount.")
  var allowOther = false

  @Option(
    help: ArgumentHelp(
      "Private addresses that feeds may name, such as 10.0.0.0/8. The host you typed is reached anyway.",
      valueName: "cidr"))
  var allowPrivate: [String] = []

  @Option(help: ArgumentHelp("Ask through this proxy.", valueName: "url"))
  var proxy: String?

  @Option(
    help: ArgumentHelp(
      "Seconds after which a read that waits for the network ends with an error.",
      valueName: "seconds"))
  var readTimeout = 60.0

  @Option(
    help: ArgumentHelp("Seconds between two looks at the feed.", valueName: "seconds"))
  var refresh = 1800.0

  @Option(
    help: ArgumentHelp(
      "Keep this much of the disk free: a share (5%) or bytes (10G).", valueName: "space"))
  var minFree = "5%"

  @Option(help: ArgumentHelp("How much to log.", valueName: "level"))
  var logLevel = LogLevel.info

  @Option(
    name: .short,
    help: ArgumentHelp("Further mount options, as of mount.fuse3(8).", valueName: "option,…"))
  var options: [String] = []

  /// The options come over stdin, and the outcome goes to stdout: see `Daemon`.
  @Flag(help: .hidden)
  var handedOver = false

  func validate() throws {
    guard readTimeout >= 1, readTimeout <= 86_400 else {
      throw ValidationError("--read-timeout takes seconds from 1 to 86400.")
    }
    guard refresh >= 1, refresh <= 86_400 else {
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

  private func mountOptions() throws(MountError) -> MountOptions {
    guard !feed.isEmpty else {
      throw MountError(
        .usage,
        "no feed is given; add one with --feed URL, as in `feedfs mount \(mountPoint) --feed URL`")
    }
    var all = MountOptions(
      feeds: feed.map { feedChoice($0) }, mountPoint: Directories.absolute(mountPoint),
      cacheDirectory: cacheDir.map(Directories.absolute) ?? Directories.cache,
      stateDirectory: Directories.state)
    all.allowsNonempty = nonempty
    all.allowsOther = allowOther
    all.allowedPrivate = allowPrivate
    all.proxy = proxy
    all.readTimeout = readTimeout
    all.minFree = minFree
    all.logLevel = logLevel.rawValue
    all.mountOptions = options
    try all.check()
    return all
  }

  private func feedChoice(_ typed: String) -> FeedChoice {
    var choice = FeedChoice(Directories.place(typed))
    choice.refreshInterval = refresh
    choice.media = feedOptions.choice
    choice.pages = pages?.number ?? choice.pages
    choice.guessesPages = guessPages
    choice.sidecars = sidecars?.kinds ?? choice.sidecars
    return choice
  }
}

/// What is logged: this and what matters more.
enum LogLevel: String, ExpressibleByArgument, CaseIterable {
  case error, warning, info, debug
}
