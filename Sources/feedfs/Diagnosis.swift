import Control
import FeedMount
import Feeds
import Settings
import SystemPackage

/// All that `feedfs doctor` looks at.
struct Diagnosis {
  let feeds: [String]
  let cacheDirectory: String?
  let allowedPrivate: [String]
  let proxy: String?
  let authorities: String?

  func findings() async -> [Finding] {
    var all = ComputerFacts.own.findings
    var settings = Settings()
    do throws(MountError) {
      settings = try ConfigurationFile.own.settings()
      all.append(
        .ok("configuration", "\(ConfigurationFile.own.path), \(settings.feeds.count) feeds"))
    } catch {
      all.append(.bad("configuration", error.description, mend: "put it right, or move it away"))
    }
    do throws(MountError) {
      try ControlSocket.check()
      all += try CacheCheckup(of: options(settings)).findings
    } catch {
      all.append(.bad("permissions", error.description, mend: "commands refuse to use it"))
    }
    all += mounts()
    return all + (await feedFindings(settings))
  }

  // MARK: Private

  private func options(_ settings: Settings) -> MountOptions {
    var options = MountOptions(
      feeds: [], mountPoint: "/",
      cacheDirectory: (cacheDirectory ?? settings.cacheDirectory).map(Directories.absolute)
        ?? Directories.cache,
      stateDirectory: Directories.state)
    options.minFree = settings.minFree ?? options.minFree
    return options
  }

  private func mounts() -> [Finding] {
    MountPoint.ours.map { path in
      do throws(MountError) {
        _ = try MountControl.status(of: path)
        return .ok("mount", "\(path) answers")
      } catch {
        let isAnothers = MountPoint(path).isAnothers
        guard !isAnothers || error.code != .permission else {
          return .ok("mount", "\(path) is another user's, who alone may look")
        }
        let mend = "`feedfs unmount --force \(path)` takes it away"
        return .bad(
          "mount", error.description,
          mend: isAnothers ? "by the user who mounted it, \(mend)" : mend)
      }
    }
  }

  private func feedFindings(_ settings: Settings) async -> [Finding] {
    let places = feeds.isEmpty ? settings.feeds.map(\.url) : feeds
    guard !places.isEmpty else {
      return [.ok("feeds", "you subscribe to none; `feedfs doctor URL` looks at one")]
    }
    return await withTaskGroup(of: (Int, [Finding]).self) { group in
      for (index, place) in places.enumerated() {
        group.addTask { (index, await findings(of: place, settings)) }
      }
      var all = [[Finding]](repeating: [], count: places.count)
      for await (index, findings) in group { all[index] = findings }
      return all.flatMap(\.self)
    }
  }

  private func findings(of typed: String, _ settings: Settings) async -> [Finding] {
    let place = Directories.place(typed)
    do throws(MountError) {
      var choice = FeedChoice(place)
      let known = Subscriptions.known(place, in: settings)
      choice.headers = known?.headers ?? [:]
      let set = known?.settings.over(settings.defaults) ?? settings.defaults
      choice.media.audio = set.audio ?? false
      choice.resolver = set.resolver ?? []
      choice.media.pages = !choice.resolver.isEmpty
      choice.login = try NetrcFile.own?.login(for: place)
      let checkup = try FeedCheckup(choice) { options in
        options.take(settings)
        options.allowedPrivate += allowedPrivate
        options.proxy = proxy ?? options.proxy
        options.authorities = authorities.map(Directories.absolute) ?? options.authorities
      }
      return await checkup.findings()
    } catch {
      return [.bad("feed", error.description, mend: "see `feedfs doctor --help`")]
    }
  }
}
