import FeedReading
import FoundationEssentials
import HTTP
import Host
import Storage
import World

/// The lists of feeds (OPML) among the feeds to mount. Each list stands for the feeds that it
/// names.
struct FeedLists: Sendable {
  private let directories: MountDirectories
  private let disk: Disk

  init(in directories: MountDirectories, on disk: Disk) {
    self.directories = directories
    self.disk = disk
  }

  /// Returns `choices` with each local list replaced by its feeds. All other choices stay as they
  /// are.
  static func fromFiles(_ choices: [FeedChoice]) throws(CommandError) -> [FeedChoice] {
    var all: [FeedChoice] = []
    for choice in choices {
      let key: FeedKey
      do { key = try FeedKey(choice.address) } catch { throw CommandError(error) }
      all += key.path.flatMap { links(inFile: $0) }.map { choice.each(of: $0) } ?? [choice]
    }
    return unique(all)
  }

  /// The longest time that a mount waits for the current lists. The mount also works without them.
  private static let timeout: Duration = .milliseconds(300)

  /// Replaces each known list with the feeds that it names now. If the list does not answer within
  /// `timeout`, takes the feeds that it named before. A later answer is used by the next mount.
  func current(of choices: [FeedChoice], in world: World) async -> [FeedChoice] {
    let requests = choices.map { choice in
      file(of: choice).read().map { old in (old: old, new: request(choice, in: world)) }
    }
    let deadline = world.tasks.now + Self.timeout
    var all: [FeedChoice] = []
    for (choice, known) in zip(choices, requests) {
      guard let (old, request) = known else {
        all.append(choice)
        continue
      }
      let rest = max(deadline - world.tasks.now, .zero)
      let new = await world.tasks.value(of: request, within: rest) ?? nil
      all += choice.each(of: new ?? old)
    }
    return Self.unique(all)
  }

  /// Asks for the list. The task's value is nil if there is no list at the moment, or an empty one.
  private func request(
    _ choice: FeedChoice, in world: World
  ) -> Task<[FeedLink]?, Never> {
    world.tasks.start {
      let links = (try? await FeedPage(choice: choice, client: world.network).list()) ?? nil
      guard let links, !links.isEmpty else { return nil }
      remember(links, of: choice)
      return links
    }
  }

  /// Replaces each known list with the feeds that it named before. Sends no request.
  func remembered(of choices: [FeedChoice]) -> [FeedChoice] {
    Self.unique(
      choices.flatMap { choice in
        file(of: choice).read().map { choice.each(of: $0) } ?? [choice]
      })
  }

  /// Remembers the feeds of a list, so that the address is known as a list even without a network.
  func remember(_ links: [FeedLink], of choice: FeedChoice) {
    file(of: choice).write(links)
  }

  /// Returns the choices without repeated addresses.
  static func unique(_ choices: [FeedChoice]) -> [FeedChoice] {
    var seen: Set<String> = []
    return choices.filter { choice in
      guard let key = try? FeedKey(choice.address) else { return false }
      return seen.insert(key.value).inserted
    }
  }

  // MARK: Private

  private func file(of choice: FeedChoice) -> SavedValue<[FeedLink]> {
    SavedValue(in: directories.state(of: choice), name: "feeds.json", as: .json(), on: disk)
  }

  /// Returns the feeds of a local list. Returns nil if the file is no list or cannot be read. The
  /// error is reported when the file is read as a feed.
  private static func links(inFile path: String) -> [FeedLink]? {
    guard let bytes = try? LocalFile.contents(path),
      let feed = try? FeedParser.parse(bytes, base: "file://\(path)"), feed.kind == .opml
    else { return nil }
    return feed.feeds
  }
}

extension FeedChoice {
  /// Returns a choice for each feed of a list. Each choice has the options of the list.
  fileprivate func each(of links: [FeedLink]) -> [FeedChoice] {
    links.map { link in
      var choice = self
      choice.list = FeedKey.isFile(address) ? nil : list ?? address
      choice.address = link.url
      choice.moved = nil
      // The login and the headers belong to the origin of the list. A local list has no origin.
      if choice.list == nil { (choice.login, choice.headers) = (nil, [:]) }
      choice.name = nil
      choice.title = link.title.isEmpty ? nil : link.title
      return choice
    }
  }
}
