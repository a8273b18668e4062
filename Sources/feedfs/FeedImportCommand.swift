import ArgumentParser
import FeedMount
import Feeds
import Settings
import SystemPackage

struct FeedImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Subscribe to the feeds of a list (OPML).")

  @Argument(help: "The list: a file, or an address.", completion: .file())
  var list: String

  func run() async throws {
    do throws(MountError) {
      let place =
        list.contains(":") ? Directories.place(list) : Directories.absolute(list).string
      let feed = try await FeedPreview.read(
        FeedChoice(place), base: nil, allowedPrivate: [], proxy: nil)
      guard feed.kind == .opml else {
        throw MountError(.noInput, "\(list) is a feed and no list; `feedfs feed add` takes it")
      }
      try ConfigurationFile.own.edit { (text, settings) throws(MountError) in
        var known = Set(settings.feeds.compactMap { try? Subscriptions.key($0.url).value })
        var added = 0
        for link in feed.feeds {
          guard let key = try? Subscriptions.key(link.url), known.insert(key.value).inserted else {
            continue
          }
          text.add(Subscription(url: link.url, name: link.title.isEmpty ? nil : link.title))
          added += 1
        }
        print("added \(added) of \(feed.feeds.count) feeds")
        return added > 0
      }
    } catch {
      throw complain(error)
    }
  }
}
