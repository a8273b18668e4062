import Quantities
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
        passthrough = false
        log-level = "debug"
        player = "/opt/mpv"
        cacert = "/ca.pem"
        pins = { "a.org" = "sha256//x" }
        max-height = 1080
        resolver = ["yt-dlp", "-f", "b", "-g", "--", "{url}"]

        [[feed]]
        url = "https://a.org/f?key=1"
        name = "talks"
        pages = "all"
        refresh = 600.5
        headers = { Authorization = "Bearer b", X-Key = "k" }

        [[feed]]
        url = "/list.m3u"
        audio = true
        guess-pages = true
        sidecars = []
        max-height = 720
        streams = "off"
        languages = ["en", "pt-BR", "zh-Hant-x-a1"]
        """)
    #expect(settings.cacheDirectory == "/c" && settings.minFree == .bytes(ByteCount(10 << 30)))
    #expect(settings.readTimeout == 30 && settings.allowedPrivate == ["10.0.0.0/8"])
    #expect(settings.proxy == "http://p:1" && settings.logLevel == .debug)
    #expect(settings.passthrough == false && settings.player == "/opt/mpv")
    #expect(settings.feeds.map(\.url) == ["https://a.org/f?key=1", "/list.m3u"])
    #expect(settings.authorities == "/ca.pem" && settings.pins == ["a.org": "sha256//x"])
    #expect(settings.feeds[0].headers == ["Authorization": "Bearer b", "X-Key": "k"])
    #expect(settings.feeds[1].headers.isEmpty)
    let first = settings.feeds[0].settings.over(settings.defaults)
    #expect(first.pages == .max && first.refresh == 600.5 && first.maxHeight == 1080)
    #expect(first.resolver == ["yt-dlp", "-f", "b", "-g", "--", "{url}"])
    let second = settings.feeds[1].settings.over(settings.defaults)
    #expect(second.audio == true && second.guessesPages == true && second.sidecars == [])
    #expect(second.maxHeight == 720 && second.streams == false && first.streams == nil)
    #expect(second.languages == ["en", "pt-br", "zh-hant-x-a1"] && first.languages == nil)
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
    ("proxy = \"a\\U00000041\"\npins = 1", 2, "has to be"),
    ("pins = 1", 1, "has to be written as {"), ("pins = { a = 1 }", 1, "texts in quotes"),
    ("cacert = \"ca.pem\"", 1, "a path from the root"),
    ("player = \"bin/mpv\"", 1, "a path from the root"), ("player = \"\"", 1, "has to be a name"),
    ("[[feed]]\nurl = \"u\"\nheaders = [\"X: y\"]", 3, "has to be written as {"),
    ("headers = { X = \"y\" }", 1, "unknown key"),
    ("feed = 1", 1, "[[feed]]"), ("[feed]\nurl = \"u\"", 1, "[[feed]]"),
    ("x = \"a", 1, ""), ("a = = 1", 1, ""), ("max-height = -1", 1, "from 1"),
  ]) func whatIsWrongIsToldWithItsLine(text: String, line: Int, words: String) throws {
    let error = try #require(throws: SettingsError.self) { try Settings(toml: text) }
    #expect(error.line == line && error.description.contains(words), "\(error)")
    #expect(!error.description.contains("\n"))
  }

  /// Texts, arrays and comments that look like tables.
  private static let misleading =
    "# [[feed]]\nresolver = [\n  \"a\",  # ] \" ]\n  '{url}',\n]\r\n"
    + "[[ feed ]]\r\nname = \"\"\"\n[[feed]]\nurrl = 1\n\"\"\"\"\nurl = 'C:\\'\r\n\n"
    + "[[\"feed\"]]\n\"url\" = \"v\\\"[\" # '''\n"

  @Test(arguments: [("urrl = 1", 15), ("\n  'name' = 1", 16), ("pages.x = 1", 15)])
  func aLineIsFoundAlsoWhereTextsLookLikeTables(more: String, line: Int) throws {
    #expect(try Settings(toml: Self.misleading).feeds.map(\.url) == ["C:\\", "v\"["])
    let error = try #require(throws: SettingsError.self) {
      try Settings(toml: Self.misleading + more)
    }
    #expect(error.line == line, "\(error)")
  }

  @Test(arguments: [
    ("[a]\nx = 1\n[[feed]]\nurl = \"u\"", 1, "unknown key \"a\""),
    ("[[feed]]\nurl = \"u\"\n[z]\ny = 1", 3, "unknown key \"z\""),
    ("[[feed]]\nurl = \"u\"\n[feed.x]\ny = 1", 3, "unknown key \"x\""),
    ("z = 1\na = 1", 1, "unknown key \"z\""), ("a.b.c = 1", 1, "unknown key \"a\""),
    ("\r\n\r\naudio = 3\r\n", 3, "true or false"), ("\u{FEFF}\naudio = 3", 2, "true or false"),
    ("proxy = \"\"\"\naudio = 3\"\"\"\naudio = 3", 3, "true or false"),
    ("cache-dir = \"~/cache\"", 1, "from the root"), ("cache-dir = \"\"", 1, "from the root"),
    ("feed = [{url = \"u\"}]", 1, "[[feed]]"), ("feed = []", 1, "[[feed]]"),
    ("refresh = nan", 1, "from 1 to 86400"), ("refresh = inf", 1, "from 1 to 86400"),
    ("max-height = 9223372036854775808", 1, ""), ("resolver = [\"{url}\"]", 1, "{url}"),
    ("\nplayer = mpv", 2, "player: the value needs quotes"),
    ("cache-size = 10G", 1, "needs quotes"),
    ("cache-size = \"20X\"", 1, "cache-size has to be written as bytes (500M"),
    ("limit-rate = true", 1, "as bytes a second (500K"),
    ("read-timeout = \"soon\"", 1, "like \"5m\""),
    ("\nrefresh = \"2d\"", 2, "from 1 to 86400"),
    ("audio = true\naudio = true", 2, ""), ("[[feed]]\nurl = \"\"", 1, "no url"),
    ("streams = \"yes\"", 1, "streams can be \"on\", \"off\""), ("languages = \"en\"", 1, "a list"),
    ("languages = [\"\"]", 1, "list of language tags"), ("languages = [\"en-\"]", 1, "tags"),
    ("languages = [\"e\"]", 1, "tags"), ("languages = [\"12\"]", 1, "tags"),
    ("languages = [\"en-x\"]", 1, "tags"), ("languages = [\"en_US\"]", 1, "tags"),
    ("languages = [\"d\u{E9}\"]", 1, "tags"), ("languages = [\"en-abcdefghi\"]", 1, "tags"),
  ]) func aMistakeIsFoundWhereverItStands(text: String, line: Int, words: String) throws {
    let error = try #require(throws: SettingsError.self) { try Settings(toml: text) }
    #expect(error.line == line && error.description.contains(words), "\(error)")
  }

  /// Texts to repeat this many times: a failure then shows a short name.
  @Test(arguments: [
    ("audio = true\u{0}", 1, "\nfed = 1"), ("[", 100_000, ""), ("a = [[", 1, "[["),
    ("a.", 2000, "a = 1"), ("a = \"\"\"\\", 1, "\\\\"), ("\"\\u001b[31m\\n\" = 1", 1, ""),
    ("x", 100_000, " = 1"), ("[[", 1, ""), ("\"", 1, ""), ("'''", 1, ""), ("a = '", 1, ""),
    ("\\", 1, ""), ("=", 1, ""), ("]", 1, ""), ("\r", 1, "a"), ("a = {b = [", 200, ""),
    ("[é]", 1, ""), ("[.a]", 1, ""), ("[[[", 1, ""), ("[ [a]]", 1, ""), ("[\ra]", 1, ""),
    ("a = 1\n\t[[\u{A0}a]]", 1, ""), ("[=]", 1, ""), ("[]", 1, ""), ("[\n]", 1, ""),
  ]) func hostileTextsAreRefusedInOneShortLine(text: String, times: Int, end: String) throws {
    let error = try #require(throws: SettingsError.self) {
      try Settings(toml: String(repeating: text, count: times) + end)
    }
    #expect(error.description.utf8.count < 500)
    #expect(!error.description.unicodeScalars.contains { $0.value < 0x20 }, "\(error)")
  }

  @Test(arguments: [
    "a=[}", "a=[1, }]", "a=[\u{2028}]", "a=[1,\u{85}", "a=[1979-05-27true[:b", "a=1979-05-27t:1",
  ]) func whatTheParserTakesForImpossibleIsRefusedBeforeIt(text: String) throws {
    let error = try #require(throws: SettingsError.self) { try Settings(toml: "\n" + text) }
    #expect(error.line == 2, "\(error)")
  }

  /// The parser ends the process on some texts: they must be rejected before it.
  @Test(arguments: [1, 2, 3] as [UInt64]) func noTextEndsTheProcess(seed: UInt64) {
    let words =
      "[ [[ ] ]] { } = . a b ' \" ''' \"\"\" \n \r\n \t # 1 - _ + 0x inf 1979-05-27 T07:32 Z , é \\ : "
      + "true \u{2028} \u{A0} \u{85} \r \u{1} [[feed]]\n url='u'\n b={ c=[ d.e=1\n [a]\n"
    let pieces = words.split(separator: " ").map(String.init) + [" "]
    var state = seed
    for _ in 0..<4_000 {
      var text = ""
      for _ in 0..<12 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        text += pieces[Int(state >> 33) % pieces.count]
      }
      guard let settings = try? Settings(toml: text), var file = try? SettingsText(text) else {
        continue
      }
      for number in settings.feeds.indices.reversed() { try? file.remove(feed: number) }
      #expect(file.settings.feeds.isEmpty, "\(text)")
    }
  }
}
