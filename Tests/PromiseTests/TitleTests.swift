import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// A title stands for its file in every command.
  @Suite(.serialized, .timeLimit(.minutes(3)), .enabled(if: canMount))
  struct TitleTests {
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
      var items = (1...7).map { WrittenFeed.Item($0) }
      items[0].title = "A talk about caches"
      items[1].title = "A talk about locks/keys"
      items[2].title = "Été"
      items[2].media = WrittenFeed.Item(3).file.path
      // Titles that look like another file, or that two entries share.
      items[3].title = "0003.mp4"
      items[6].title = "12. Folge: 1984"
      for place in 4...5 {
        items[place].title = "Twin"
        items[place].size += place
      }
      try WrittenFeed(pages: [items]).serve(by: feed)
      try feed.mount("/written")
    }

    @Test func everyCommandTakesATitle() throws {
      #expect(try feed.feedfs("status", "A talk about caches").out.contains("0001.mp4"))
      #expect(try feed.feedfs("status", "été").out.contains("0003.mp4"))
      let fetched = try feed.feedfs("cache", "fetch", "a talk about c")
      #expect(fetched.status == 0 && fetched.out.hasPrefix("complete: 1 file"), "\(fetched)")
      #expect(try feed.feedfs("cache", "pin", "locks/keys").out.hasPrefix("pinned 1 file"))
      #expect(try feed.status().files.filter(\.pinned).map(\.name) == ["0002.mp4"])
      #expect(try feed.feedfs("cache", "path", "A talk about caches").out.hasPrefix("/"))
      #expect(try feed.feedfs("cache", "verify", "about caches").status == 0)
      #expect(try feed.feedfs("cache", "clear", "caches").out.hasPrefix("cleared 1 file"))
      #expect(try feed.status().files.first { $0.name == "0001.mp4" }?.cached == 0)

      // Without the mount, the cached files have titles too.
      let another = try feed.feedfs("cache", "fetch", "Été")
      #expect(another.status == 0, "\(another)")
      try feed.unmount()
      let path = try feed.cache("path", "été")
      #expect(path.out.hasPrefix("/"), "\(path)")
    }

    @Test func aTitleThatMayMeanSeveralIsRefusedWithTheirNames() throws {
      for command in [["status"], ["cache", "fetch"], ["cache", "pin"], ["cache", "clear"]] {
        let outcome = try feed.feedfs(command + ["a talk"])
        #expect(outcome.status == 64, "\(command)")
        #expect(
          outcome.err.contains("\"a talk\" may mean 0001.mp4 \"A talk about caches\", 0002.mp4"))
        let none = try feed.feedfs(command + ["no such title"])
        #expect(none.status == 66, "\(command)")
        // A name that is not there never means a title.
        #expect(try feed.feedfs(command + ["0009.mp4"]).status == 66)
      }
      let twins = try feed.feedfs("cache", "fetch", "Twin")
      #expect(twins.status == 64 && twins.err.contains("0005.mp4 \"Twin\", 0006.mp4 \"Twin\""))
      let named = try feed.feedfs("status", "0003.mp4").out
      #expect(named.contains("Été") && !named.contains("0004.mp4"))
      #expect(try feed.feedfs("status", "12. Folge").out.contains("0007.mp4"))
      let played = try feed.feedfs("play", "--from", "a talk", "--player", "mpv")
      #expect(played.status == 64 && played.err.contains("may mean 0001.mp4"), "\(played)")
      let mistyped = try feed.feedfs("play", "--from", "about cahces", "--player", "mpv")
      let guess = "did you mean 0001.mp4 \"A talk about caches\"?\n"
      #expect(mistyped.status == 66 && mistyped.err.hasSuffix(guess), "\(mistyped)")
    }
  }
}
