import Settings
import Testing

/// A feed that has moved gets its new address, and the rest of the file stays.
@Suite(.timeLimit(.minutes(1)))
struct MovedFeedTextTests {
  private static let mine = """
    # mine
    min-free = "5%"  # enough

    [[feed]]  # the first
    url = "https://a.org/"  # from a friend
    pages = 2

    # the second
    [[feed]]
    name = "b"
      url = 'https://u:p@b.org/?k=1'
    # pages = 3
    [feed.headers]
    url = "no address"
    """

  @Test func onlyTheLineOfTheAddressChangesAndTheOldOneStandsBelow() throws {
    var text = try SettingsText(Self.mine)
    try text.move(feed: 0, to: "https://new.org/?k=\"1\"")
    try text.move(feed: 1, to: "https://b.net/")
    #expect(
      text.text == """
        # mine
        min-free = "5%"  # enough

        [[feed]]  # the first
        url = "https://new.org/?k=\\"1\\""  # from a friend
        was = "https://a.org/"
        pages = 2

        # the second
        [[feed]]
        name = "b"
          url = "https://b.net/"
          was = "https://u:p@b.org/?k=1"
        # pages = 3
        [feed.headers]
        url = "no address"
        """)
    #expect(text.settings.feeds.map(\.url) == ["https://new.org/?k=\"1\"", "https://b.net/"])
    #expect(text.settings.feeds.map(\.typed) == ["https://a.org/", "https://u:p@b.org/?k=1"])
    #expect(text.settings.feeds[1].headers == ["url": "no address"])
    #expect(try Settings(toml: text.text) == text.settings)
  }

  @Test func theTypedAddressStaysThroughFurtherMovesAndBack() throws {
    let before = try SettingsText(Self.mine)
    for number in 0...1 {
      var text = before
      let typed = text.settings.feeds[number].url
      for url in ["https://x.org/", "https://y.org/"] {
        try text.move(feed: number, to: url)
        #expect(text.settings.feeds[number].url == url)
        #expect(text.settings.feeds[number].was == typed)
      }
      try text.move(feed: number, to: typed)
      #expect(text.settings == before.settings)
    }
    var text = before
    try text.move(feed: 0, to: "https://x.org/")
    try text.move(feed: 0, to: "https://a.org/")
    #expect(text.text == Self.mine)
  }

  @Test(arguments: [
    ("[[feed]]\nurl='u'", "[[feed]]\nurl=\"v\"\nwas = \"u\""),
    ("[[feed]]\r\nurl = \"u\"\r\n", "[[feed]]\r\nurl = \"v\"\r\nwas = \"u\"\r\n"),
    ("[[feed]]\nurl = '''u'''# c\n", "[[feed]]\nurl = \"v\"# c\nwas = \"u\"\n"),
    ("[[feed]]\n\"url\"=\"\"\"u\"\"\"\n", "[[feed]]\n\"url\"=\"v\"\nwas = \"u\"\n"),
    ("[[feed]]\nurl = \"u\\\"#\" # 'x'\n", "[[feed]]\nurl = \"v\" # 'x'\nwas = \"u\\\"#\"\n"),
    ("[[feed]]\nwas = 'u' # c\nurl = 't'\n", "[[feed]]\nwas = 'u' # c\nurl = \"v\"\n"),
  ]) func exactlyTheAddressIsReplaced(before: String, after: String) throws {
    var text = try SettingsText(before)
    try text.move(feed: 0, to: "v")
    #expect(Array(text.text.utf8) == Array(after.utf8), "\(text.text)")
  }

  @Test func whatCannotBeWrittenOrFoundLeavesTheTextAsItWas() throws {
    var text = try SettingsText(Self.mine)
    #expect(throws: SettingsError.self) { try text.move(feed: 2, to: "v") }
    #expect(throws: SettingsError.self) { try text.move(feed: -1, to: "v") }
    #expect(throws: SettingsError.self) { try text.move(feed: 0, to: "") }
    #expect(throws: SettingsError.self) { try text.move(feed: 0, to: "a\u{0}b") }
    #expect(text.text == Self.mine)
  }

  @Test func anAddressBeforeTheMoveIsReadAndMustBeOne() throws {
    let feed = try #require(Settings(toml: "[[feed]]\nurl = 'v'\nwas = 'u'").feeds.first)
    #expect(feed.url == "v" && feed.was == "u" && feed.typed == "u")
    for wrong in ["''", "1", "['u']"] {
      #expect(throws: SettingsError.self) {
        try Settings(toml: "[[feed]]\nurl = 'v'\nwas = \(wrong)")
      }
    }
  }
}
