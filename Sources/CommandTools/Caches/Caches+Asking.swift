package import Control
import FeedMount
package import Host
package import Quantities
import SystemPackage

extension Caches {
  /// The limit for the file names in one request. They are part of the request's head, which has at
  /// most 8 KiB.
  private static let maxNames = 40

  /// Sends requests to every place that has some of `files`. Returns the sum of the outcomes.
  package func all(
    _ files: [String], _ request: ([String]) -> CacheRequest
  ) async throws(CommandError) -> CacheOutcome {
    var all = CacheOutcome()
    for (place, names) in try meant(by: files) {
      for part in Self.parts(of: names) {
        all.add(try await place.ask(request(part), as: CacheOutcome.self))
      }
    }
    return all
  }

  /// Prunes every place by `rule`, and each cache to `size`. Returns the sum of the outcomes.
  /// Several places can be parts of one cache. So in a rehearsal, the bytes that one place would
  /// free count as free for the next places of that cache.
  package func prune(
    by rule: PruneRule, to size: Space?
  ) async throws(CommandError) -> CacheOutcome {
    var all = CacheOutcome()
    var rehearsed: [String: Int] = [:]
    // The number of bytes that stay, by cache. For each cache it is the answer of its last place,
    // because the other places were pruned before.
    var stay: [String: Int] = [:]
    for place in places {
      var rule = rule
      let cache = place.listing.path
      rule.bytes = size.map { $0.bytes { DiskSize.total(of: FilePath(cache)) } }
      rule.bytes? += rehearsed[cache] ?? 0
      let outcome = try await place.ask(.prune(rule), as: CacheOutcome.self)
      stay[cache] = outcome.stay.map { $0 - rehearsed[cache, default: 0] }
      if rule.isRehearsal { rehearsed[cache, default: 0] += outcome.freed }
      all.add(outcome)
    }
    all.stay = stay.isEmpty ? nil : stay.values.reduce(0, +)
    return all
  }

  /// Sends requests about `files` to the places that have these files. Then calls `then` with the
  /// sum of the outcomes.
  ///
  /// If the paths show which mounts are meant, only these mounts get requests, and no cache is
  /// listed or locked.
  package static func change(
    _ files: [String], _ options: CacheOptions, _ request: ([String]) -> CacheRequest,
    then: (CacheOutcome) throws -> Void
  ) async throws {
    do {
      if options.cacheDir == nil, let outcome = try ofMounts(files, request) {
        return try then(outcome)
      }
    } catch let error as CommandError {
      throw complain(error)
    }
    try await with(options) { caches in try then(try await caches.all(files, request)) }
  }

  /// If each file is known to be in a mount, sends the requests and returns the sum of the
  /// outcomes. Returns nil if only a list of all caches can show which files are meant.
  private static func ofMounts(
    _ files: [String], _ request: ([String]) -> CacheRequest
  ) throws(CommandError) -> CacheOutcome? {
    let mounts = MountPoint.ours
    var wanted: [FilePath: [String]] = [:]
    for typed in files {
      if let place = MountedPlace.place(Directories.mountedPath(typed), in: mounts) {
        guard let file = place.file else { return nil }
        wanted[place.mountPoint, default: []].append(file)
      } else {
        // A name without a path means a file of the only mount, or a file that is not mounted.
        guard mounts.count == 1, !typed.hasPrefix("/"), !typed.isEmpty else { return nil }
        wanted[mounts[0], default: []].append(typed)
      }
    }
    var all = CacheOutcome()
    for (mountPoint, names) in wanted.sorted(by: { $0.key.string < $1.key.string }) {
      for part in parts(of: names) {
        do throws(CommandError) {
          all.add(
            try MountControl.ask(.cache(request(part)), at: mountPoint, as: CacheOutcome.self))
        } catch {
          // If the mount has no such file, the name may be that of a folder. If the daemon is dead,
          // its cache is not locked. In both cases the caller must list all caches instead.
          let isElsewhere = error.code == .noInput
          guard isElsewhere || error == MountControl.death(of: mountPoint) else { throw error }
          return nil
        }
      }
    }
    return wanted.isEmpty ? nil : all
  }

  /// Splits `names` into parts, one for each request. If `names` is empty, returns one empty part,
  /// which means all files.
  package static func parts(of names: [String]) -> [[String]] {
    guard !names.isEmpty else { return [[]] }
    return stride(from: 0, to: names.count, by: maxNames).map {
      Array(names[$0..<min($0 + maxNames, names.count)])
    }
  }
}

extension CacheOutcome {
  fileprivate mutating func add(_ other: CacheOutcome) {
    files += other.files
    freed += other.freed
    pinned += other.pinned
  }

  /// - Parameter done: the word for the action, such as "pruned".
  package func say(_ done: String, _ options: CacheOptions) {
    guard !options.json else {
      return CommandTools.say(json: (try? Wire.encode(self, pretty: true)) ?? [])
    }
    let space = freed > 0 ? ", \(Quantity.bytes(freed))" : ""
    CommandTools.say("\(done) \(Quantity.count(files.count, "file"))\(space)")
    if !pinned.isEmpty {
      CommandTools.say(
        "\(Quantity.count(pinned.count, "file")) stayed in the cache, because pinned: \(pinned.joined(separator: ", "))"
      )
    }
    if let stay {
      CommandTools.say(
        "\(Quantity.bytes(stay)) stay cached: pinned and open files, and beginning and end of each listed"
          + " file, with which it opens at once")
    }
  }
}
