import Control
package import FeedMount
import HTTP
import Host
import Settings
import Storage

/// The checks of `feedfs doctor`.
package struct Diagnosis {
  private let feeds: [String]
  private let cacheDirectory: String?
  private let network: NetworkArguments

  /// - Parameters:
  ///   - feeds: the feeds to check; if empty, the feeds of the configuration file.
  ///   - cacheDirectory: the cache directory; nil for the usual one.
  package init(feeds: [String], cacheDirectory: String?, network: NetworkArguments) {
    self.feeds = feeds
    self.cacheDirectory = cacheDirectory
    self.network = network
  }

  package func findings() async -> [Finding] {
    var all = ComputerFacts.own.findings
    var settings = Settings()
    var isConfigured = true
    do throws(CommandError) {
      let file = try ConfigurationFile.own
      settings = try file.settings()
      settings = try file.checkedSettings()
      all.append(.ok("configuration", "\(file.path), \(settings.feeds.count) feeds"))
      all += Subscriptions.remarks(on: settings.feeds).map {
        .warn("configuration", $0, mend: "give it another `name` in config.toml")
      }
    } catch {
      isConfigured = false
      all.append(
        .bad("configuration", error.description, mend: "correct the file, or move it away"))
    }
    do throws(CommandError) {
      try ControlSocket.check()
      all += try cacheFindings(settings)
    } catch {
      all.append(
        .bad("permissions", error.description, mend: "until then commands refuse to use it"))
    }
    all += proxyFindings(settings)
    all += mounts
    // If the configuration cannot be read, it is not known whether there are subscriptions. So
    // there is no finding about feeds.
    if feeds.isEmpty, settings.feeds.isEmpty, !isConfigured { return all }
    return all + (await feedFindings(settings))
  }

  // MARK: Private

  private func cacheFindings(_ settings: Settings) throws(CommandError) -> [Finding] {
    let directories = try MountDirectories(cacheDirectory, over: settings)
    let minFree = FreeSpaceRule(nil, over: settings)
    return CacheCheckup(of: directories.cache, minFree: minFree).findings
  }

  /// Returns findings about the proxies through which requests go.
  private func proxyFindings(_ settings: Settings) -> [Finding] {
    do throws(CommandError) {
      let proxies = try NetworkOptions(network, over: settings).proxies.all
      return proxies.map { proxy in
        .ok(
          "proxy",
          "\(proxy.source) names \(proxy.place); feedfs trusts it, and cannot check the addresses behind it"
        )
      }
    } catch {
      return [.bad("network", error.description, mend: "correct this setting")]
    }
  }

  /// Findings about this user's mounts. The mounts of other users are private.
  private var mounts: [Finding] {
    together(MountPoint.ours) { path -> [Finding] in
      do throws(CommandError) {
        let answer = try MountControl.status(of: path)
        let status = try? Wire.decode(MountStatus.self, from: answer)
        return [.ok("mount", "\(path) answers")] + (status.map(Self.unsaved) ?? [])
      } catch {
        return [
          .bad(
            "mount", error.description, mend: "`feedfs unmount --force \(path)` removes the mount")
        ]
      }
    }.flatMap(\.self)
  }

  /// Returns findings about new entries that cannot be listed, because the state directory cannot
  /// be written.
  private static func unsaved(_ status: MountStatus) -> [Finding] {
    status.feeds.compactMap { feed in
      feed.unsavedWords.map {
        .bad(
          "mount", "\(status.mountPoint): \($0)",
          mend: "new entries are listed once the state directory can be written")
      }
    }
  }

  private func feedFindings(_ settings: Settings) async -> [Finding] {
    let places = feeds.isEmpty ? settings.feeds.map(\.url) : feeds
    guard !places.isEmpty else {
      return [.ok("feeds", "you have no subscriptions; `feedfs doctor URL` checks one feed")]
    }
    let programs = resolverFindings(of: places, settings)
    return programs
      + (await withTaskGroup(of: (Int, [Finding]).self) { group in
        for (index, place) in places.enumerated() {
          group.addTask { (index, await findings(of: place, settings)) }
        }
        var all = [[Finding]](repeating: [], count: places.count)
        for await (index, findings) in group { all[index] = findings }
        return all.flatMap(\.self)
      })
  }

  /// Returns findings about the resolvers of these feeds. If several feeds have the same resolver,
  /// it is checked once.
  private func resolverFindings(of places: [String], _ settings: Settings) -> [Finding] {
    var seen: Set<[String]> = []
    return places.flatMap { typed -> [Finding] in
      let place = Directories.place(typed)
      let subscription = Subscriptions.known(place, in: settings) ?? Subscription(url: place)
      let choice = FeedChoice(subscription, nil, over: settings)
      return seen.insert(choice.resolver).inserted ? ResolverCheckup(choice).program : []
    }
  }

  private func findings(of typed: String, _ settings: Settings) async -> [Finding] {
    let place = Directories.typedPlace(typed)
    do throws(CommandError) {
      let subscription = Subscriptions.known(place, in: settings) ?? Subscription(url: place)
      var choice = FeedChoice(subscription, nil, over: settings)
      // If the feed has moved, its login and headers belong to its old address, so that one is
      // checked.
      if subscription.was == nil { choice.address = place }
      choice.login = try NetrcFile.own?.login(for: choice.address)
      try choice.check()
      let checkup = FeedCheckup(
        choice, network: try NetworkOptions(network, over: settings))
      return await checkup.findings()
    } catch {
      return [.bad("feed", error.description, mend: "see `feedfs doctor --help`")]
    }
  }
}
