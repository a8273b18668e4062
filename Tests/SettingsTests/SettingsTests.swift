import Settings
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SettingsTests {
  @Test func everyKeyHasItsPlace() throws {
    let settings = try Settings(
      toml: """
        # mine
        cache-dir = "/c"
        min-free = "10G"
        read-timeout = 30
        allow-private = ["10.0.0.0/8"]
        proxy = "http://p:1"
        log-level = "debug"
        max-height = 1080
        resolver = ["yt-dlp", "-g", "--", "{url}"]

        [[feed]]
        url = "https://a.org/f?key=1"
        name = "talks"
        pages = "all"
        refresh = 600.5

        [[feed]]
        url = "/list.m3u"
        audio = true
        guess-pages = true
        sidecars = []
        max-height = 720
        """)
    #expect(settings.cacheDirectory == "/c" && settings.minFree == "10G")
    #expect(settings.readTimeout == 30 && settings.allowedPrivate == ["10.0.0.0/8"])
    #expect(settings.proxy == "http://p:1" && settings.logLevel == "debug")
    #expect(settings.feeds.map(\.url) == ["https://a.org/f?key=1", "/list.m3u"])
    let first = settings.feeds[0].settings.over(settings.defaults)
    #expect(first.pages == .max && first.refresh == 600.5 && first.maxHeight == 1080)
    #expect(first.resolver == ["yt-dlp", "-g", "--", "{url}"])
    let second = settings.feeds[1].settings.over(settings.defaults)
    #expect(second.audio == true && second.guessesPages == true && second.sidecars == [])
    #expect(second.maxHeight == 720)
  }

  @Test func nothingIsWhatAnEmptyFileSays() throws {
    #expect(try Settings(toml: "") == Settings())
  }

  @Test(arguments: [
    ("a = 1", 1, "unknown key \"a\""),
    ("# x\n\nmin-fre = \"5%\"", 3, "did you mean min-free?"),
    ("[[feed]]\nurl = \"u\"\nurrl = 1", 3, "did you mean url?"),
    ("[[feed]]\nurl = \"u\"\n[[feed]]\n\n  name = 1\nurl=\"v\"", 5, "name has to be a text"),
    ("[[feed]]\nname = \"n\"", 1, "has no url"),
    ("read-timeout = 0", 1, "from 1 to 86400"), ("pages = 0", 1, "or \"all\""),
    ("pages = \"some\"", 1, "or \"all\""), ("audio = 1", 1, "true or false"),
    ("sidecars = [\"x\"]", 1, "\"subtitles\""), ("sidecars = [1]", 1, "a list of texts"),
    ("resolver = [\"yt-dlp\"]", 1, "{url}"), ("log-level = \"all\"", 1, "\"debug\""),
    ("feed = 1", 1, "[[feed]]"), ("[feed]\nurl = \"u\"", 1, "[[feed]]"),
    ("x = \"a", 1, ""), ("a = = 1", 1, ""), ("max-height = -1", 1, "from 1"),
  ]) func whatIsWrongIsToldWithItsLine(text: String, line: Int, words: String) throws {
    let error = try #require(throws: SettingsError.self) { try Settings(toml: text) }
    #expect(error.line == line && error.description.contains(words), "\(error)")
    #expect(!error.description.contains("\n"))
  }

  @Test func aFeedIsAddedAndRemovedAndNothingElseIsTouched() throws {
    let before = """
      # mine
      min-free = "5%"  # enough

      [[feed]]  # the first
      url = "https://a.org/"
      pages = 2

      # the second
      [[feed]]
      url = "https://b.org/"
      """
    var text = SettingsText(before)
    text.add(Subscription(url: "https://c.org/\"\\\n", name: "C"))
    let settings = try Settings(toml: text.text)
    #expect(
      settings.feeds.map(\.url) == ["https://a.org/", "https://b.org/", "https://c.org/\"\\\n"])
    #expect(settings.feeds[2].name == "C" && text.text.hasPrefix(before))
    text.remove(feed: 2)
    text.remove(feed: 0)
    #expect(try Settings(toml: text.text).feeds.map(\.url) == ["https://b.org/"])
    #expect(text.text.contains("# enough") && text.text.contains("# the second"))
    text.remove(feed: 7)
    #expect(try Settings(toml: text.text).feeds.count == 1)
  }
}
