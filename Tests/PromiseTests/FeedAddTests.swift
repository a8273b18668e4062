import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// `feed add` reads what it is given, and a feed's folder is an argument of commands.
  @Suite(.serialized, .timeLimit(.minutes(3)), .enabled(if: canMount))
  struct FeedAddTests {
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
      for (name, numbers) in [("One", 1...5), ("Two", 6...7)] {
        try WrittenFeed(
          pages: [numbers.map { WrittenFeed.Item($0) }], title: name, path: "/\(name)"
        ).serve(by: feed)
      }
    }

    @Test func theTitleAndTheFirstEntriesAreShown() throws {
      let outcome = try add("/One")
      #expect(outcome.status == 0)
      let lines = outcome.out.split(separator: "\n").map(String.init)
      #expect(lines.first?.hasPrefix("added ") == true && lines.dropFirst().first == "One")
      #expect(lines.filter { $0.contains("Item ") }.count == 3 && lines.contains("  and 2 others"))
    }

    @Test func whatIsNoFeedIsRefusedWithTheReason() throws {
      try feed.origin.put("<html><body><p>Hello</p></body></html>", at: "/page", type: "text/html")
      let film = WrittenFeed.Item(1).file.path
      let refused: [(address: String, status: Int32, reason: String)] = [
        (feed.origin.url("/page"), 66, "looks like an HTML page"),
        (feed.origin.url(film), 66, "no feed"),
        (feed.origin.url("/nothing"), 69, "404"),
        ("http://127.0.0.1:9/feed", 75, "connection refused"),
        (feed.folder + "/nothing.m3u", 66, "cannot be read"),
        (feed.folder, 66, "is a directory, and not a feed"),
      ]
      for (address, status, reason) in refused {
        let outcome = try feed.feedfs("feed", "add", address)
        #expect(outcome.status == status, "\(address): \(outcome.err)")
        #expect(outcome.err.contains(reason) && outcome.err.contains("--force"), "\(outcome.err)")
        #expect(outcome.err.split(separator: "\n").count == 1)
      }
      #expect(try feed.feedfs("feed", "list").out.contains("no subscriptions"))
      for (address, _, _) in refused {
        #expect(try feed.feedfs("feed", "add", address, "--force").out.hasPrefix("added"))
      }
      #expect(try feed.feedfs("feed", "list").out.split(separator: "\n").count == refused.count)
    }

    @Test func anAddressWithoutASchemeIsTriedByHTTPS() throws {
      let outcome = try feed.feedfs("feed", "add", "127.0.0.1:1/feed", "--force")
      #expect(
        outcome.status == 0 && outcome.err.contains("so feedfs tries https://127.0.0.1:1/feed"))
      #expect(try feed.feedfs("feed", "list").out.contains("https://127.0.0.1:1/feed"))
    }

    /// A page may be a stranger's: it brings in no host at home.
    @Test func ofAPageWithSeveralFeedsOneIsTaken() throws {
      let links = ["One", "Two"].map {
        "<link rel=\"alternate\" type=\"application/rss+xml\" title=\"\($0)\" href=\"/\($0)\">"
      }
      let home =
        "<link rel=\"alternate\" type=\"application/rss+xml\" href=\"http://192.168.1.1/feed\">"
      try feed.origin.put(
        "<html><head>\(home)\(links.joined())</head><body></body></html>", at: "/page",
        type: "text/html")
      let first = try add("/page")
      #expect(first.out.contains("names 2 feeds") && first.out.contains("--take"), "\(first.err)")
      #expect(try feed.feedfs("feed", "list").out.contains("/One"))
      #expect(try add("/page", "--take", "2").status == 0)
      #expect(try feed.feedfs("feed", "list").out.contains("/Two"))
      let third = try add("/page", "--take", "3")
      #expect(third.status == 64 && third.err.contains("2 feeds"))
      #expect(try !feed.feedfs("feed", "list").out.contains("192.168"))
    }

    @Test func aPageWhoseFeedIsSubscribedToAlreadyAddsNothing() throws {
      let link = "<link rel=\"alternate\" type=\"application/rss+xml\" href=\"/One\">"
      try feed.origin.put(
        "<html><head>\(link)</head><body></body></html>", at: "/page", type: "text/html")
      #expect(try add("/One", "--name", "talks").out.hasPrefix("added "))
      let before = contents(of: feed.folder + "/" + MountedFeed.configuration)
      let (page, same) = (try add("/page"), try add("/One"))
      let words = "\(feed.origin.url("/One")) is one of your subscriptions already, as talks\n"
      #expect(page == (0, "the page's feed \(words)", ""), "\(page)")
      #expect(same == (0, words, ""), "\(same)")
      #expect(contents(of: feed.folder + "/" + MountedFeed.configuration) == before)
    }

    @Test func aFolderIsAnArgumentWhereverAFileOrAMountIs() throws {
      for path in ["/One", "/Two"] { #expect(try add(path).status == 0) }
      try feed.mountSubscriptions()
      let folder = feed.mountPoint + "/Two"
      let status = try said("status", folder, "--all")
      #expect(status.contains("Two/0002.mp4") && !status.contains("One"))
      let part = try Wire.decode(
        MountStatus.self, from: Array(try said("status", folder, "--json").utf8))
      #expect(part.feeds.map(\.folder) == ["Two"] && part.files.count == 2)

      #expect(try said("feed", "refresh", folder) == "refreshed 1 of 1 feeds\n")
      #expect(try said("cache", "fetch", folder).contains("complete: 2 files"))
      #expect(try said("cache", "pin", folder).contains("2 files"))
      #expect(try said("cache", "verify", folder).isEmpty == false)
      #expect(try said("cache", "unpin", folder).contains("2 files"))
      #expect(try said("cache", "clear", folder).contains("2 files"))
      let played = try said("play", folder, "--player", "echo")
      #expect(played.contains("Two/playlist.m3u8") && !played.contains("One/"))
      #expect(try said("cache", "fetch", feed.mountPoint).contains("complete: 7 files"))
      for command in [["status"], ["cache", "fetch"], ["feed", "refresh"], ["cache", "pin"]] {
        let wrong = try feed.feedfs(command + [feed.mountPoint + "/Three"])
        #expect(wrong.status == 66, "\(command): \(wrong.err)")
      }
    }

    @Test func aNameThatIsTakenOrIsNoneIsTold() throws {
      let nameless = try add("/One", "--name", "..")
      #expect(nameless.status == 64 && nameless.err.contains("a folder cannot have this name"))
      #expect(try add("/One", "--name", "talks").err.isEmpty)
      let second = try add("/Two", "--name", "talks")
      #expect(second.status == 0 && second.out.hasPrefix("added "))
      #expect(second.err.contains("several subscriptions have the name talks"), "\(second)")
    }

    // MARK: Parts

    private func add(
      _ path: String, _ options: String...
    ) throws -> (status: Int32, out: String, err: String) {
      try feed.feedfs(["feed", "add", feed.origin.url(path)] + options)
    }

    private func said(_ arguments: String...) throws -> String {
      let outcome = try feed.feedfs(arguments)
      #expect(outcome.status == 0, "\(arguments): \(outcome.err)")
      return outcome.out
    }
  }
}
