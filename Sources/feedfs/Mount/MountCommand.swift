import ArgumentParser
import CommandTools
import FeedMount
import Host
import Settings

struct MountCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mount", abstract: "Mount a feed as a folder.",
    discussion: """
      As with mount(8), the feed comes before the directory. Several feeds get a folder each; without any, \
      those that you subscribe to are mounted.

        feedfs mount https://example.org/videos.rss ~/feed
        feedfs mount ~/feeds
      """)

  @Argument(
    help: ArgumentHelp("The feed, and an empty directory.", valueName: "url directory"),
    completion: .directory)
  var places: [String] = []

  @Option(
    help: ArgumentHelp(
      "A feed: an http or https address, or a file. May be given several times.", valueName: "url"
    ))
  var feed: [String] = []

  @OptionGroup
  var arguments: MountArguments

  func run() async throws {
    do throws(CommandError) {
      let places = try MountPlaces(places)
      let path = Directories.mountedPath(places.directory)
      if arguments.staysInForeground {
        try await Service.run(mountOptions(places), subscriptions: Self.subscriptions) {}
      } else {
        try Daemon.launch(at: path) { () throws(CommandError) in try mountOptions(places) }
      }
    } catch {
      throw complain(error)
    }
  }

  /// If the time between two refreshes is shorter than this, the command warns.
  private static let politeRefresh = Duration.seconds(60)

  private func mountOptions(_ places: MountPlaces) throws(CommandError) -> MountOptions {
    let settings = try (try? ConfigurationFile.own)?.checkedSettings() ?? Settings()
    let typed = places.feeds + feed
    let feeds = typed.isEmpty ? settings.feeds : typed.map { subscription(to: $0, in: settings) }
    guard !feeds.isEmpty else {
      throw CommandError(
        .usage,
        "no feed is given, and you subscribe to none; `feedfs mount URL \(places.directory)` mounts one,"
          + " `feedfs feed add URL` subscribes to one")
    }
    var options = try MountOptions(
      of: feeds, at: Directories.mountedPath(places.directory), arguments, over: settings)
    if let shortest = options.feeds.map(\.refreshInterval).min(), shortest < Self.politeRefresh {
      remark("a refresh every \(shortest) is too often for most publishers; give 5m or more")
    }
    if typed.isEmpty, let file = try? ConfigurationFile.own.path {
      let words = CommandLine.arguments.drop { $0 != Self.configuration.commandName }
      options.subscriptions = SubscriptionSource(file: file, arguments: Array(words.dropFirst()))
    }
    return options
  }

  /// Returns the feeds to which the user subscribes now, with the options with which the mount was
  /// started. Throws if the configuration file is missing, because the user may be replacing it at
  /// this moment.
  static let subscriptions: Service.Subscribed = { source throws(CommandError) in
    let file = ConfigurationFile(path: source.file)
    guard let command = try? Self.parse(source.arguments), file.isThere else {
      throw CommandError(
        .configuration, "\(file.path) is missing, so the mount keeps the subscriptions that it has")
    }
    let settings = try file.settings()
    do throws(CommandError) {
      return try MountOptions.choices(of: settings.feeds, command.arguments, over: settings)
    } catch {
      throw CommandError(.configuration, "\(file.path): \(error)")
    }
  }

  /// Returns the subscription to the typed address. If there is none, makes one without settings.
  private func subscription(to typed: String, in settings: Settings) -> Subscription {
    let place = Directories.typedPlace(typed)
    return Subscriptions.known(place, in: settings) ?? Subscription(url: place)
  }
}
