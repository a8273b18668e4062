import Settings
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SettingsTextTests {
  private static let mine = """
    # mine
    min-free = "5%"  # enough

    [[feed]]  # the first
    url = "https://a.org/"
    pages = 2

    # the second
    [[feed]]
    url = "https://b.org/"
    # pages = 3
    """

  @Test func aFeedIsAddedAtTheEndAndTheRestStays() throws {
    var text = try SettingsText(Self.mine)
    try text.add([
      Subscription(url: "https://c.org/\"\\\n\u{7f}", name: "C é 😀"), Subscription(url: "/d"),
    ])
    #expect(
      text.text == Self.mine
        + "\n\n[[feed]]\nurl = \"https://c.org/\\\"\\\\\\u000a\\u007f\"\nname = \"C é 😀\"\n"
        + "\n[[feed]]\nurl = \"/d\"\n")
    #expect(text.settings.feeds.map(\.url).suffix(2) == ["https://c.org/\"\\\n\u{7f}", "/d"])
    #expect(try Settings(toml: text.text) == text.settings)
  }

  @Test func aFeedThatIsTakenOutLeavesTheCommentsOfOthers() throws {
    var text = try SettingsText(Self.mine)
    try text.remove(feed: 0)
    #expect(
      text.text == """
        # mine
        min-free = "5%"  # enough

        # the second
        [[feed]]
        url = "https://b.org/"
        # pages = 3
        """)
    try text.remove(feed: 0)
    #expect(text.text == "# mine\nmin-free = \"5%\"  # enough\n\n# the second\n")
  }

  @Test(arguments: [
    // A comment right after the keys belongs to the block; one after an empty line does not.
    ("[[feed]]\nurl='u'\n# pages = 1\n\n# x\n[[feed]]\nurl='v'\n", "# x\n[[feed]]\nurl='v'\n"),
    ("[[feed]]\nurl='u'\n# v's\n[[feed]]\nurl='v'\n", "# v's\n[[feed]]\nurl='v'\n"),
    ("[[feed]]\nurl='u'\n\n# the end\n", "# the end\n"),
    ("[[feed]]\r\nurl='u'\r\n\r\n[[feed]]\r\nurl='v'\r\n", "[[feed]]\r\nurl='v'\r\n"),
    ("[[feed]]\nurl='u'\nname='''\n[[feed]]\n'''\n[[feed]]\nurl='v'", "[[feed]]\nurl='v'"),
    ("[[feed]]\nurl='u'\nresolver=[\n'a',\n'{url}'\n]\n[[feed]]\nurl='v'", "[[feed]]\nurl='v'"),
    ("[[feed]]\nurl='u'", ""), ("\u{FEFF}[[feed]]\nurl='u'\n", "\u{FEFF}"),
    (" [[ 'feed' ]] # [[feed]]\n\turl='u'\n", ""),
  ]) func exactlyItsLinesAreTakenOut(before: String, after: String) throws {
    var text = try SettingsText(before)
    let feeds = text.settings.feeds
    try text.remove(feed: 0)
    // Compares bytes, since a Unicode comparison takes some different texts for equal.
    #expect(Array(text.text.utf8) == Array(after.utf8), "\(text.text)")
    #expect(text.settings.feeds == Array(feeds.dropFirst()))
  }

  @Test(arguments: ["", "# only this\n", "audio = true", "a\r\n".replacing("a", with: "# a")])
  func addingAndRemovingAgainComesToRest(before: String) throws {
    var text = try SettingsText(before)
    try text.add([Subscription(url: "u")])
    try text.remove(feed: 0)
    let once = text.text
    try text.add([Subscription(url: "u")])
    try text.remove(feed: 0)
    #expect(text.text == once && once.hasPrefix(before))
  }

  @Test func linesEndAsTheOthersOfTheFile() throws {
    var text = try SettingsText("audio = true\r\n")
    try text.add([Subscription(url: "u")])
    #expect(Array(text.text.utf8) == Array("audio = true\r\n\r\n[[feed]]\r\nurl = \"u\"\r\n".utf8))
  }

  @Test func whatCannotBeWrittenOrFoundLeavesTheTextAsItWas() throws {
    var text = try SettingsText(Self.mine)
    #expect(throws: SettingsError.self) { try text.add([Subscription(url: "a\u{0}b")]) }
    #expect(throws: SettingsError.self) { try text.add([Subscription(url: "")]) }
    #expect(throws: SettingsError.self) { try text.remove(feed: 2) }
    #expect(throws: SettingsError.self) { try text.remove(feed: -1) }
    #expect(text.text == Self.mine)
  }
}
