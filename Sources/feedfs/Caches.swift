import Control
import FeedMount
import FoundationEssentials
import Settings
import SystemPackage

/// The caches that a command may mean: those of mounts, whose daemons are asked, and those of feeds that
/// nobody has mounted, which it holds itself as long as it works.
struct Caches {
  /// One of them.
  struct Place {
    /// Nil: not mounted.
    let mountPoint: FilePath?
    let listing: CacheListing
    fileprivate let unmounted: UnmountedCaches?

    /// What does `request` say?
    func ask<Message: Decodable>(
      _ request: CacheRequest, as type: Message.Type
    ) async throws(MountError) -> Message {
      if let mountPoint {
        return try MountControl.ask(.cache(request), at: mountPoint, as: type)
      }
      guard let answer = await unmounted?.answer(request) else {
        throw MountError(.noInput, "nothing is kept in \(listing.path)")
      }
      return try MountControl.message(type, in: answer.body, status: answer.status) {
        "the cache in \(listing.path) is of another version of feedfs"
      }
    }

    /// What `name` is called here; nil: it is elsewhere.
    func name(below path: FilePath) -> String? {
      mountPoint.flatMap { MountedPlace.place(path, in: [$0])?.file }
    }

    /// As a user names it.
    func shown(_ name: String) -> String {
      mountPoint.map { $0.appending(name).string } ?? "\(name) (not mounted)"
    }
  }

  let places: [Place]
  /// Why others could not be had.
  let failures: [MountError]
  private let unmounted: UnmountedCaches

  /// How long a daemon may take to say what it keeps.
  private static let patience: Duration = .seconds(10)

  /// - Parameter directory: of the cache; nil: whatever mounts have, and the usual one.
  init(in directory: String?) async throws(MountError) {
    let settings = try ConfigurationFile.own.settings()
    let path =
      (directory ?? settings.cacheDirectory).map(Directories.absolute) ?? Directories.cache
    var places: [Place] = []
    for mountPoint in MountPoint.ours {
      let listing = try? MountControl.ask(
        .cache(.list), at: mountPoint, as: CacheListing.self, within: Self.patience)
      guard let listing, directory == nil || listing.path == path.string else { continue }
      places.append(Place(mountPoint: mountPoint, listing: listing, unmounted: nil))
    }
    let served = places.filter { $0.listing.path == path.string }.flatMap(\.listing.feeds)
    unmounted = try await UnmountedCaches(
      in: path, stateDirectory: Directories.state, besides: Set(served))
    failures = unmounted.failures
    let answer = await unmounted.answer(.list)
    let listing = try MountControl.message(
      CacheListing.self, in: answer.body, status: answer.status
    ) { "the cache in \(path) cannot be listed" }
    if !listing.feeds.isEmpty || places.isEmpty {
      places.append(Place(mountPoint: nil, listing: listing, unmounted: unmounted))
    }
    self.places = places
  }

  /// To be called when the command has done its work.
  func end() throws(MountError) {
    if unmounted.end(), let failure = failures.first { throw failure }
  }

  /// Unless `places` has one that is not mounted, nobody is kept any longer from mounting those, and from
  /// making room in them.
  func hold(only places: [Place]) {
    if places.allSatisfy({ $0.mountPoint != nil }) { unmounted.end() }
  }

  /// Which files of which place are meant by what was typed; every place with nothing, where nothing was.
  /// What is not meant is held no longer.
  func meant(by typed: [String]) throws(MountError) -> [(place: Place, names: [String])] {
    guard !typed.isEmpty else { return places.map { ($0, []) } }
    var names: [[String]] = places.map { _ in [] }
    for text in typed {
      let (index, name) = try find(text)
      if !names[index].contains(name) { names[index].append(name) }
    }
    let meant = zip(places, names).filter { !$0.1.isEmpty }.map { ($0, $1) }
    hold(only: meant.map(\.0))
    return meant
  }

  private func find(_ typed: String) throws(MountError) -> (Int, String) {
    let path = Directories.absolute(typed)
    for (index, place) in places.enumerated() {
      if let name = place.name(below: path) { return (index, name) }
    }
    let having = places.indices.filter { index in
      places[index].listing.files.contains { $0.name == typed }
    }
    let mounted = places.indices.filter { places[$0].mountPoint != nil }
    // What is not kept can be named as well, where there is only one place for it.
    let found = having.isEmpty ? (mounted.isEmpty ? Array(places.indices) : mounted) : having
    guard let index = found.first, found.count == 1, !typed.hasPrefix("/"), !typed.isEmpty else {
      guard having.count > 1 else {
        throw MountError(
          .noInput, "\(typed): there is no such file; `feedfs cache list` shows what is kept")
      }
      let all = having.map { places[$0].shown(typed) }.joined(separator: ", ")
      throw MountError(.usage, "\(typed) is in several places, say which: \(all)")
    }
    return (index, typed)
  }
}

extension Caches {
  /// Opens the caches for the time of `body`; errors are said, and end the command.
  static func with(
    _ options: CacheOptions, _ body: (Caches) async throws -> Void
  ) async throws {
    do {
      let caches = try await Caches(in: options.cacheDir)
      do { try await body(caches) } catch {
        try? caches.end()
        throw error
      }
      try caches.end()
    } catch let error as MountError {
      throw complain(error)
    }
  }
}
