import ArgumentParser
import CommandTools
import FeedMount
import Catalog
import FeedReading
import Host
import Settings

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
  var arguments: MountArguments

  func run() async throws {
    do throws(MountError) {
      if arguments.foreground {
        try await Service.run(mountOptions()) {}
      } else {
        try Daemon.launch(at: Directories.absolute(mountPoint), mountOptions)
      }
    } catch {
      throw complain(error)
    }
  }

  private func mountOptions() throws(MountError) -> MountOptions {
    let settings = try configuration()
    let feeds = feed.isEmpty ? settings.feeds : feed.map { subscription(to: $0, in: settings) }
    guard !feeds.isEmpty else {
      throw MountError(
        .usage,
        "no feed is given, and you subscribe to none; `feedfs mount \(mountPoint) --feed URL` mounts one,"
          + " `feedfs feed add URL` subscribes to one")
    }
    return try MountOptions(
      of: feeds, at: Directories.absolute(mountPoint), arguments, over: settings)
  }

  /// Returns the settings of the configuration file. Checks them separately, so that an error names
  /// the file.
  private func configuration() throws(MountError) -> Settings {
    guard let file = try? ConfigurationFile.own else { return Settings() }
    let settings = try file.settings()
    do throws(MountError) {
      for feed in settings.feeds { try FeedChoice(feed, nil, over: settings).check() }
      _ = try MountSettings(nil, over: settings)
    } catch {
      throw MountError(.configuration, "\(file.path): \(error)")
    }
    return settings
  }

  /// Returns the subscription to the typed address. If there is none, returns a new one without
  /// settings.
  private func subscription(to typed: String, in settings: Settings) -> Subscription {
    let place = Directories.place(typed)
    return Subscriptions.known(place, in: settings) ?? Subscription(url: place)
  }
}
