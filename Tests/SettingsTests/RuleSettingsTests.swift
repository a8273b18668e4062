import FeedReading
import Settings
import Testing

/// Rules in `config.toml`: read, and written by `feedfs feed add`.
@Suite(.timeLimit(.minutes(1)))
struct RuleSettingsTests {
  @Test func whatIsWrittenIsReadAgain() throws {
    var text = try SettingsText("# mine\nnewest = 50\n")
    var feed = Subscription(url: "https://a.org/f", name: "a")
    feed.settings.rules.newest = 20
    feed.settings.rules.since = RuleStart(parsing: "90d")
    feed.settings.rules.skip = try [EntryPattern("#shorts"), EntryPattern(#"/a\d "b"/"#)]
    feed.settings.rules.only = try [EntryPattern("notes: été")]
    feed.settings.rules.minDuration = RuleTime(parsing: "2m")
    feed.settings.rules.maxDuration = RuleTime(parsing: "1h30m")
    feed.settings.rules.live = false
    feed.settings.keep = .newest(3)
    var other = Subscription(url: "https://c.org/f")
    other.settings.keep = .unplayed
    try text.add([feed, Subscription(url: "https://b.org/f"), other])

    let settings = try Settings(toml: text.text)
    #expect(settings.feeds[0] == feed && settings.feeds[2] == other)
    #expect(text.text.contains("\nkeep = 3\n") && text.text.contains("keep = \"unplayed\""))
    #expect(text.text.contains(##"skip = ["#shorts", "/a\\d \"b\"/"]"##))
    // A feed that says nothing has the rules for all.
    #expect(settings.feeds[1].settings.over(settings.defaults).rules.newest == 50)
    #expect(settings.feeds[0].settings.over(settings.defaults).rules.newest == 20)
  }

  @Test func oneFeedTakesBackTheRulesOfAll() throws {
    let settings = try Settings(
      toml: """
        skip = "a"
        newest = 3
        keep = "all"
        live = false
        [[feed]]
        url = "u"
        keep = "none"
        skip = []
        newest = "all"
        live = true
        """)
    let all = settings.feeds[0].settings.over(settings.defaults)
    #expect(all.rules.newest == .max && all.rules.skip == [] && all.keep == .nothing)
    #expect(settings.defaults.rules.newest == 3)
    #expect(all.rules.live == true && settings.defaults.rules.live == false)
  }

  @Test(arguments: [
    (
      "[[feed]]\nurl = \"u\"\n\nskip = [\"a\", \"/(/\"]", 4,
      "skip \"/(/\" is not a regular expression"
    ),
    ("newest = \"3\"", 1, "newest has to be a number from 1"),
    ("\nsince = \"soon\"", 2, "since has to be written as a day"),
    ("\n\nonly = \" \"", 3, "only \"\" has no words"),
    ("max-duration = true", 1, "max-duration has to be written as a time"),
    ("since = 2026-01-31", 1, "since has to be written as a day (2026-01-31)"),
    ("live = \"no\"", 1, "live has to be true or false"),
    ("skips = \"a\"", 1, "did you mean skip?"),
  ])
  func aMistakeHasItsLineAndItsKey(text: String, line: Int, words: String) {
    let error = #expect(throws: SettingsError.self) { try Settings(toml: text) }
    #expect(error?.line == line)
    #expect(error?.reason.contains(words) == true, "\(error?.description ?? "")")
  }
}
