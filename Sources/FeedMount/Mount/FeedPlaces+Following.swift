import Catalog
import Control
import FeedReading
import Fuse
import Host
import Locks
import World

/// Lets feeds come and go while the mount runs.
extension FeedPlaces {
  /// The time between two checks whether leaving feeds are still in use.
  private static let interval: Duration = .milliseconds(250)

  /// Lets feeds join, leave and change, so that the mount has the feeds of `choices`. Returns when
  /// the new feeds are listed. A feed that programs use leaves later, when they have closed its
  /// files. A call must not begin before the previous call has returned.
  ///
  /// - Parameter typed: called with the feeds that join, before any request for them.
  func follow(
    _ choices: [FeedChoice], typed: ([FeedChoice]) async -> Void
  ) async throws(CommandError) -> SubscriptionsOutcome {
    var outcome = SubscriptionsOutcome()
    let members = state.withLock { state in
      state.listed.map { SubscriptionChange.Member($0) }
        + state.departed.map { SubscriptionChange.Member($0) }
    }
    let wanted = try await set.expanded(choices)
    var joining: [FeedChoice] = []
    for step in SubscriptionChange.steps(from: members, to: wanted) {
      switch step {
      case .leave(let key): outcome.removed += leave(key)
      case .stay(let key): outcome.added += stay(key)
      case .rename(let key, let name): rename(key, to: name)
      case .sift(let key, let rules):
        all.first { $0.feed.key.value == key }?.feed.live.sift(by: rules)
      case .keep(let key, let rule):
        all.first { $0.feed.key.value == key }?.feed.keeper.follow(rule)
      case .join(let choice): joining.append(choice)
      }
    }
    watchLeaving()
    // The second round is for the feeds of joining lists (OPML). A list in a list is not followed.
    for _ in 0..<2 where !joining.isEmpty {
      let known = Set(all.map(\.feed.key.value))
      joining.removeAll { choice in
        (try? FeedKey(choice.address)).map { known.contains($0.value) } ?? true
      }
      await typed(joining)
      let newcomers = await set.join(spaces(for: joining))
      outcome.added += list(newcomers.feeds)
      outcome.errors += newcomers.errors.map(\.description)
      joining = newcomers.listed
    }
    return outcome
  }

  // MARK: Private

  private func spaces(
    for choices: [FeedChoice]
  ) -> [(choice: FeedChoice, space: InodeSpace)] {
    var slots = Set(all.map(\.feed.space.slot))
    return choices.compactMap { choice in
      (try? FeedKey(choice.address)).map { (choice, space(of: $0, besides: &slots)) }
    }
  }

  /// Lists feeds that have joined; returns the names of their folders.
  private func list(_ feeds: [MountedFeed]) -> [String] {
    remember(feeds)
    var names: [String] = []
    for feed in feeds {
      var place = place(of: feed, besides: listed)
      let hasEnded = state.withLock { state in
        guard !state.hasEnded else { return true }
        place.number = state.nextNumber
        state.nextNumber += 1
        state.listed.append(place)
        state.changed(at: world.wall.microseconds())
        return false
      }
      guard !hasEnded else {
        feed.end()
        continue
      }
      if state.withLock({ $0.hasBegun }) { feed.begin() }
      tellKernel(of: place)
      names.append(place.folder)
    }
    return names
  }

  /// Lets a feed leave as soon as none of its files is open; returns the name of its folder.
  private func leave(_ key: String) -> [String] {
    let place = state.withLock { state -> Place? in
      guard let index = state.listed.firstIndex(where: { $0.feed.key.value == key }) else {
        return nil
      }
      state.listed[index].isLeaving = true
      return state.listed[index]
    }
    guard let place else { return [] }
    preloader.leave(place.feed.live)
    return [place.folder]
  }

  /// Lets a feed stay that was about to leave; returns the name of its folder.
  private func stay(_ key: String) -> [String] {
    let place = state.withLock { state -> Place? in
      if let index = state.listed.firstIndex(where: { $0.feed.key.value == key }) {
        state.listed[index].isLeaving = false
        return state.listed[index]
      }
      guard let index = state.departed.firstIndex(where: { $0.feed.key.value == key }) else {
        return nil
      }
      var place = state.departed.remove(at: index)
      place.isLeaving = false
      state.listed.append(place)
      state.changed(at: world.wall.microseconds())
      return place
    }
    guard let place else { return [] }
    preloader.stay(place.feed.live)
    tellKernel(of: place)
    return [place.folder]
  }

  private func rename(_ key: String, to wish: String?) {
    let places = listed
    guard let place = places.first(where: { $0.feed.key.value == key }) else { return }
    let others = places.filter { $0.feed !== place.feed }
    let folder = place.folder.isEmpty ? "" : name(of: place.feed, wish, besides: others)
    state.withLock { state in
      guard let index = state.listed.firstIndex(where: { $0.feed === place.feed }) else { return }
      state.listed[index].wish = wish
      state.listed[index].folder = folder
      if folder != place.folder { state.changed(at: world.wall.microseconds()) }
    }
    guard folder != place.folder else { return }
    world.kernel.nameChanged(place.folder, in: .root)
    world.kernel.nameChanged(folder, in: .root)
    world.kernel.attributesChanged(of: .root)
  }

  /// Tells the kernel that a feed has come or gone.
  private func tellKernel(of place: Place) {
    for name in place.folder.isEmpty ? place.tree.rootNames : [place.folder] {
      world.kernel.nameChanged(name, in: .root)
    }
    world.kernel.attributesChanged(of: .root)
  }

  // MARK: Leaving

  /// Checks the leaving feeds again and again, until none is left.
  private func watchLeaving() {
    let isNew = state.withLock { state in
      defer { state.isWatching = true }
      return !state.isWatching
    }
    guard isNew else { return }
    world.tasks.start { [weak self, tasks = world.tasks] in
      while self?.look() ?? false {
        guard (try? await tasks.sleep(for: Self.interval)) != nil else { return }
      }
    }
  }

  /// Removes the leaving feeds that are not in use from the listing. Ends feeds that an earlier
  /// call has removed, because programs cannot open any of their files by now. Returns false if no
  /// feed is leaving.
  private func look() -> Bool {
    let (gone, ended, goesOn) = state.withLock { state in
      let ended = state.departed.filter { !$0.feed.live.isInUse }
      state.departed.removeAll { place in ended.contains { $0.feed === place.feed } }
      let gone = state.listed.filter { $0.isLeaving && !$0.feed.live.isInUse }
      state.listed.removeAll { place in gone.contains { $0.feed === place.feed } }
      state.departed += gone
      if !gone.isEmpty || !ended.isEmpty { state.changed(at: world.wall.microseconds()) }
      let goesOn =
        !state.hasEnded && (!state.departed.isEmpty || state.listed.contains(where: \.isLeaving))
      state.isWatching = goesOn
      return (gone, ended, goesOn)
    }
    for place in gone { tellKernel(of: place) }
    for place in ended {
      jobs.add { [preloader] in
        place.feed.end()
        preloader.forget(place.feed.live)
      }
    }
    return goesOn
  }
}

extension SubscriptionChange.Member {
  fileprivate init(_ place: FeedPlaces.Place) {
    self.init(
      key: place.feed.key.value, wish: place.wish, rules: place.feed.live.catalog.rules,
      keep: place.feed.keeper.rule, isLeaving: place.isLeaving)
  }
}
