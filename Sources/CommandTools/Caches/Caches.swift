package import ArgumentParser
import Catalog
package import Control
import FeedMount
import FeedReading
package import Host
import Settings
import Storage
package import SystemPackage

/// The options `--cache-dir` and `--json` of the commands for caches.
package struct CacheOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The cache directory, if not the usual one; mounts with another cache are left alone.",
      valueName: "dir"),
    completion: .directory)
  package var cacheDir: String?

  @Flag(help: "Print JSON.")
  package var json = false

  package init() {}
}

/// The caches on which a command can work. For a mounted feed, the command asks the daemon to do
/// the work. The caches of unmounted feeds are locked and changed by the command itself.
package struct Caches {
  /// The cache of one mount, or the caches of all unmounted feeds.
  package struct Place {
    /// The mount point; nil if the feeds are not mounted.
    package let mountPoint: FilePath?
    package let listing: CacheListing
    fileprivate let unmounted: UnmountedCaches?

    /// Sends `request` to the daemon, or carries it out on the unmounted caches. Returns the
    /// decoded answer.
    package func ask<Message: Decodable>(
      _ request: CacheRequest, as type: Message.Type
    ) async throws(CommandError) -> Message {
      if let mountPoint {
        return try MountControl.ask(.cache(request), at: mountPoint, as: type)
      }
      guard let answer = await unmounted?.answer(request) else {
        throw CommandError(.noInput, "nothing is cached in \(listing.path)")
      }
      return try MountControl.message(type, in: answer.body.joined, status: answer.status) {
        "the cache in \(listing.path) was written by another version of feedfs; use that version"
      }
    }

    /// Returns the names of the files that `name` means. If `name` is the folder of a feed, these
    /// are all files of the feed. If `name` is empty, these are all files of the mount. Otherwise
    /// it is `name` alone.
    func files(of name: String) throws(CommandError) -> [String] {
      guard let mountPoint, !listing.files.contains(where: { $0.name == name }),
        let heads = try? MountControl.ask(
          .files(StatusPart(count: 0)), at: mountPoint, as: MountStatus.self),
        name.isEmpty || heads.feed(in: name) != nil
      else { return [name] }
      let status = try MountControl.ask(.status, at: mountPoint, as: MountStatus.self)
      let files = (name.isEmpty ? status : status.feed(in: name))?.files.map(\.name) ?? []
      guard !files.isEmpty else {
        throw CommandError(.noInput, "\(mountPoint.appending(name)) has no files yet")
      }
      return files
    }

    /// Throws if one of `names` is no file of this place. Files without cached bytes count too.
    package func check(_ names: [String]) throws(CommandError) {
      var known = Set(listing.files.map(\.name))
      guard !known.isSuperset(of: names) else { return }
      if let mountPoint {
        let status = try MountControl.ask(.status, at: mountPoint, as: MountStatus.self)
        known.formUnion(status.files.map(\.name))
      }
      let unknown = names.first { !known.contains($0) }
      if let unknown { throw Caches.nothing(named: unknown) }
    }

    /// Returns the name that the file at `path` has in this mount; nil if the file is not in this
    /// mount.
    func name(below path: FilePath) -> String? {
      mountPoint.flatMap { MountedPlace.place(path, in: [$0])?.file }
    }

    /// Returns the name of the file in this mount that has `typed` as its name or title, cached or
    /// not; nil if the mount has none.
    fileprivate func name(of typed: String) throws(CommandError) -> String? {
      guard let mountPoint else { return nil }
      if listing.files.contains(where: { $0.name == typed }) { return typed }
      do throws(CommandError) {
        return try MountControl.ask(
          .file(name: typed), at: mountPoint, as: FileDetails.self, within: Caches.answerTimeout
        ).file.name
      } catch {
        // The code `usage` says that `typed` fits several titles. After any other error, the mount
        // counts as not having the file.
        guard error.code == .usage else { return nil }
        throw error
      }
    }

    /// Returns the name of the unmounted file that `typed` means, as "FEED/NAME"; nil if there is
    /// none. `typed` can be without the feed if only one file can be meant.
    ///
    /// - Parameter isAlone: whether nothing is mounted.
    fileprivate func unmountedName(
      _ typed: String, isAlone: Bool
    ) throws(CommandError) -> String? {
      let names = listing.files.map(\.name)
      if names.contains(typed) { return typed }
      let found = names.filter { $0.hasSuffix("/" + typed) }
      guard let name = found.first else {
        if let name = try title(typed) { return name }
        // A file without cached bytes is not in `names`, but can be named as well.
        return isAlone && listing.feeds.count == 1 ? inOnlyFolder(of: names, typed) : nil
      }
      guard isAlone, found.count == 1 else {
        let all = found.joined(separator: ", ")
        throw CommandError(
          .usage, "several feeds that are not mounted have \(typed); name one of these: \(all)")
      }
      return name
    }

    /// Returns the name of the cached file whose title equals or contains `typed`; nil if there is
    /// none. Throws if there are several.
    private func title(_ typed: String) throws(CommandError) -> String? {
      var search = TitleSearch<String>(typed)
      for file in listing.files { search.look(at: file.title, of: file.name) }
      guard search.found.count > 1 else { return search.found.first?.place }
      throw CommandError(.usage, TitleSearch.doubt(about: typed, search.found) { $0 })
    }

    private func inOnlyFolder(of names: [String], _ typed: String) -> String {
      let folder = names.first?.split(separator: "/").first
      return typed.contains("/") ? typed : folder.map { "\($0)/\(typed)" } ?? typed
    }

    /// Returns a text that names the file in messages: its path in the mount, or its name with the
    /// remark that it is not mounted.
    func shown(_ name: String) -> String {
      mountPoint.map { $0.appending(name).string } ?? "\(name) (not mounted)"
    }
  }

  let places: [Place]
  /// The reasons why some caches could not be listed or locked.
  let failures: [CommandError]
  /// The errors of mounts that did not list their caches. A file that is not found may be in one of
  /// these mounts.
  private let silent: [CommandError]
  private let unmounted: UnmountedCaches

  /// The timeout for a live daemon's list of its cache.
  private static let answerTimeout: Duration = .seconds(30)

  /// - Parameter directory: the cache directory. Nil means the directories of all mounts, and the
  ///   usual one.
  init(in directory: String?) async throws(CommandError) {
    let settings = try ConfigurationFile.ownSettings
    let directories = try MountDirectories(directory, over: settings)
    let path = directories.cache
    var places: [Place] = []
    var silent: [CommandError] = []
    let answers = together(MountPoint.ours) { mountPoint -> Result<Place, CommandError>? in
      do throws(CommandError) {
        let listing = try MountControl.ask(
          .cache(.list), at: mountPoint, as: CacheListing.self, within: Self.answerTimeout)
        return .success(Place(mountPoint: mountPoint, listing: listing, unmounted: nil))
      } catch {
        // A dead daemon has no lock on its cache, so this command can take the lock itself.
        return error == MountControl.death(of: mountPoint) ? nil : .failure(error)
      }
    }
    for answer in answers.compactMap(\.self) {
      switch answer {
      case .success(let place):
        if directory == nil || place.listing.path == path.string { places.append(place) }
      case .failure(let error): silent.append(error)
      }
    }
    self.silent = directory == nil ? silent : []
    let served = places.filter { $0.listing.path == path.string }.flatMap(\.listing.feeds)
    unmounted = try await UnmountedCaches(
      in: directories, besides: Set(served), waits: silent.isEmpty
    ) { format, file in remark("\(file) \(format.words)") }
    failures = unmounted.failures + silent
    let answer = await unmounted.answer(.list)
    let listing = try MountControl.message(
      CacheListing.self, in: answer.body.joined, status: answer.status
    ) { "the cache in \(path) cannot be listed" }
    if !listing.feeds.isEmpty || !listing.files.isEmpty || places.isEmpty {
      places.append(Place(mountPoint: nil, listing: listing, unmounted: unmounted))
    }
    self.places = places
  }

  /// Unlocks the caches at the end of the command. Throws the first failure, unless `hold` has
  /// unlocked the caches before.
  func end() throws(CommandError) {
    if unmounted.end(), let failure = failures.first { throw failure }
  }

  /// Unlocks the unmounted caches if `places` has none of them. Then other processes can mount
  /// their feeds, and evict bytes from them.
  package func hold(only places: [Place]) {
    if places.allSatisfy({ $0.mountPoint != nil }) { unmounted.end() }
  }

  /// Returns the names of the typed files, by the place that has them. If `typed` is empty, returns
  /// every place without names. Unlocks the unmounted caches if none of their files is typed.
  package func meant(by typed: [String]) throws(CommandError) -> [(place: Place, names: [String])] {
    guard !typed.isEmpty else { return places.map { ($0, []) } }
    var names: [[String]] = places.map { _ in [] }
    for text in typed {
      let (index, name) = try find(text)
      for name in try places[index].files(of: name) where !names[index].contains(name) {
        names[index].append(name)
      }
    }
    let meant = zip(places, names).filter { !$0.1.isEmpty }.map { ($0, $1) }
    hold(only: meant.map(\.0))
    return meant
  }

  private func find(_ typed: String) throws(CommandError) -> (Int, String) {
    let path = Directories.mountedPath(typed)
    for (index, place) in places.enumerated() {
      if let name = place.name(below: path) { return (index, name) }
      if place.mountPoint == path { return (index, "") }
    }
    guard !typed.hasPrefix("/"), !typed.isEmpty else { throw Self.nothing(named: typed) }
    // `typed` is a name or a title. It is looked up in the mounts first, then in the unmounted
    // caches. The name of an unmounted file is "FEED/NAME". The feed can be left out only if
    // nothing is mounted.
    if let silent = silent.first { throw silent }
    let mounted = places.indices.filter { places[$0].mountPoint != nil }
    var found: [(Int, String)] = []
    for index in mounted {
      if let name = try places[index].name(of: typed) { found.append((index, name)) }
    }
    if found.count > 1 {
      let all = found.map { places[$0.0].shown($0.1) }.joined(separator: ", ")
      throw CommandError(.usage, "\(typed) is in several mounts; name one of these: \(all)")
    }
    if let file = found.first { return file }
    if let index = places.indices.last, places[index].mountPoint == nil {
      let name = try places[index].unmountedName(typed, isAlone: mounted.isEmpty)
      if let name { return (index, name) }
    }
    // If there is only one mount, its daemon will answer with the reason why it has no such file.
    guard mounted.count == 1 else { throw Self.nothing(named: typed) }
    return (mounted[0], typed)
  }

  fileprivate static func nothing(named typed: String) -> CommandError {
    CommandError(
      .noInput, "\(typed): there is no such file; `feedfs cache list` shows what is cached")
  }
}

extension Caches {
  /// Opens the caches, calls `body`, and unlocks the caches. Reports an error on stderr, and throws
  /// the exit code for it.
  package static func with(
    _ options: CacheOptions, _ body: (Caches) async throws -> Void
  ) async throws {
    do {
      let caches = try await Caches(in: options.cacheDir)
      do { try await body(caches) } catch {
        try? caches.end()
        throw error
      }
      try caches.end()
    } catch let error as CommandError {
      throw complain(error)
    }
  }
}
