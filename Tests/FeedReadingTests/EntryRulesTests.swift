import FeedReading
import Glibc
import TestSupport
import Testing

/// Rules say what is wanted of a feed. Each is tried on the same forty entries.
@Suite(.timeLimit(.minutes(1)))
struct EntryRulesTests {
  /// The time of all tests: 2026-05-01 12:00, in seconds since 1970.
  private static let now = 1_777_636_800
  private static let day = 86_400

  /// Title, minutes (0 if the feed tells none), age in days (nil for no date), notes.
  private static let entries: [(title: String, minutes: Double, age: Int?, notes: String)] = [
    ("Keynote: the year in caches", 62, 0, "Slides and code."),  // 0
    ("One minute on locks #shorts", 1, 1, "Sponsored by nobody."),
    ("LIVE: the conference, day 1", 480, 2, "The stream of day 1"),
    ("Replay of the conference, day 1", 470, 3, ""),
    ("A party with art", 12, 4, "Art for all"),
    ("Art and science", 33, 5, "This episode is sponsored by a bank."),
    ("Straße der Zukunft", 45, 6, "Über die STRASSE"),
    ("ÉTÉ À PARIS", 9, 7, "l'e\u{0301}te\u{0301}"),
    ("最新AIニュース", 5, 8, "人工知能"),
    ("What AI said", 25, 9, ""),
    ("Paid in full", 25, 10, "He said: AI"),  // 10
    ("Episode 11", 30, 11, ""),
    ("Episode 12", 30, 12, "Guest: Ada"),
    ("Episode 13 (explicit)", 30, 13, ""),
    ("Trailer", 2, 14, ""),
    ("Trailers of May", 3, 15, ""),
    ("Q&A", 0, 16, "No duration is told."),
    ("q & a, part 2", 0, 17, ""),
    ("Full-length concert", 121, 18, ""),
    ("Concert (clip)", 4, 19, ""),
    ("Breaking: news at ten", 10, 20, ""),  // 20
    ("Newsletter", 10, 21, ""),
    ("The news", 10, 22, ""),
    ("C++ in 100 seconds", 1.67, 23, ""),
    ("C and its heirs", 40, 24, ""),
    ("100 %", 15, 25, ""),
    ("[Ad] A word from our friends", 1, 26, "ad"),
    ("Road trip", 50, 27, ""),
    ("A very long walk", 600, 28, ""),
    ("", 20, 29, "No title"),
    ("Episode 30", 30, 30, ""),  // 30
    ("Old but gold", 30, 60, ""),
    ("Older", 30, 90, ""),
    ("Oldest", 30, 400, ""),
    ("Without a date", 30, nil, ""),
    ("Ｆｕｌｌｗｉｄｔｈ", 30, 100, ""),
    ("Русский: Новости дня", 30, 101, ""),
    ("뉴스를 보다", 30, 102, ""),
    ("Emoji 🎬 premiere", 30, 103, ""),
    ("One more", 30, 104, "last\n line"),
  ]

  /// The entries that were found to be live, though one of them says nothing of it.
  private static let live: Set<Int> = [2, 11]

  private static func leftOut(_ rules: EntryRules) -> (places: [Int], complaints: [String]) {
    var sieve = RuleSieve(rules, now: now)
    var places: [Int] = []
    for (place, entry) in entries.enumerated() {
      let subject = RuleSubject(
        title: entry.title, notes: entry.notes,
        duration: entry.minutes > 0 ? entry.minutes * 60 : nil,
        modified: entry.age.map { now - $0 * day } ?? now, isBroadcast: live.contains(place))
      if sieve.rule(for: subject, at: place) != nil { places.append(place) }
    }
    return ((places + sieve.tooOld).sorted(), sieve.complaints)
  }

  private static func skip(_ patterns: String...) throws -> EntryRules {
    var rules = EntryRules()
    rules.skip = try patterns.map { try EntryPattern($0) }
    return rules
  }

  @Test func thereAreForty() {
    #expect(Self.entries.count == 40)
  }

  private static let patterns: [(String, [Int])] = [
    // Whole words, whatever their case.
    ("#shorts", [1]), ("art", [4, 5]), ("ART", [4, 5]), ("ai", [8, 9]), ("trailer", [14]),
    ("trailer*", [14, 15]), ("*news*", [20, 21, 22]), ("news", [20, 22]), ("C++", [23]),
    ("c", [23, 24]), ("100", [23, 25]), ("[ad]", [26]), ("ad", [26]),
    ("the   conference", [2, 3]), ("conference, day", [2, 3]), ("q&a", [16]),
    // Unicode: case, composed characters, scripts without spaces.
    ("strasse", [6]), ("straße", [6]), ("été", [7]), ("e\u{0301}te\u{0301}", [7]),
    ("ニュース", [8]), ("뉴스", [37]), ("новости", [36]), ("🎬", [38]),
    // The notes.
    ("notes: sponsored", [1, 5]), ("Notes: AI", [10]), ("title: notes", []),
    ("notes: strasse", [6]), ("notes: été", [7]), ("notes:last line", [39]),
    // Expressions.
    ("/live|replay/", [2, 3]), (#"/^episode \d+$/"#, [11, 12, 30]), (#"/\bnews\b/"#, [20, 22]),
    (#"notes: /guest: \w+/"#, [12]), ("/^$/", [29]), (#"/\p{Han}/"#, [8]), ("/é/", [7]),
    ("/(?-i)LIVE/", [2]), ("/a(?=rt)/", [4, 5, 17]),
  ]

  @Test(arguments: patterns)
  func aPatternMatchesTheseEntries(pattern: String, places: [Int]) throws {
    let found = Self.leftOut(try Self.skip(pattern))
    #expect(found.places == places)
    #expect(found.complaints == [])

    var rules = EntryRules()
    rules.only = try [EntryPattern(pattern)]
    #expect(Self.leftOut(rules).places == Self.entries.indices.filter { !places.contains($0) })
  }

  private static let durations: [(String?, String?, [Int])] = [
    ("1m", nil, []), ("2m", nil, [1, 23, 26]), (nil, "2h", [2, 3, 18, 28]),
    ("5m", "1h", [0, 1, 2, 3, 14, 15, 18, 19, 23, 26, 28]),
    ("2h1m", "470m", Array(0..<40).filter { ![3, 16, 17, 18].contains($0) }),
    // One grammar: a number alone is seconds, and none is no bound.
    ("120", "2 h", [1, 2, 3, 18, 23, 26, 28]), ("0", "0", []), ("1.5m", nil, [1, 26]),
  ]

  @Test(arguments: durations)
  func durationsAreBounded(shortest: String?, longest: String?, places: [Int]) throws {
    var rules = EntryRules()
    rules.minDuration = shortest.flatMap { RuleTime(parsing: $0) }
    rules.maxDuration = longest.flatMap { RuleTime(parsing: $0) }
    #expect(Self.leftOut(rules).places == places)
  }

  private static let starts: [(String, [Int])] = [
    ("30d", [31, 32, 33, 35, 36, 37, 38, 39]), ("2026-04-01", [31, 32, 33, 35, 36, 37, 38, 39]),
    ("52w", [33]), ("36h", Array(2...33) + Array(35..<40)),
  ]

  @Test(arguments: starts)
  func olderOnesAreLeftOut(since: String, places: [Int]) throws {
    var rules = EntryRules()
    rules.since = RuleStart(parsing: since)
    #expect(Self.leftOut(rules).places == places)
  }

  private static let lives: [(Bool?, [Int])] = [(nil, []), (true, []), (false, [2, 11])]

  @Test(arguments: lives)
  func whatIsLiveIsLeftOutIfItIsNotWanted(isWanted: Bool?, places: [Int]) throws {
    var rules = EntryRules()
    rules.live = isWanted
    #expect(Self.leftOut(rules).places == places)
    #expect(rules.isEmpty == places.isEmpty)
    // Those of one feed count more than those of all.
    var others = EntryRules()
    others.live = false
    #expect(Self.leftOut(rules.over(others)).places == (isWanted == true ? [] : [2, 11]))
    // It is not among the newest that are counted.
    rules.newest = 4
    #expect(!Self.leftOut(rules).places.contains(3) == (isWanted == false))
  }

  @Test func theNewestAreCountedAmongThoseThatOtherRulesLeave() throws {
    var rules = try Self.skip("/conference/", "art")
    rules.newest = 3
    // The one without a date counts as seen now.
    #expect(Self.leftOut(rules).places == Self.entries.indices.filter { ![0, 1, 34].contains($0) })
    rules.newest = 100
    #expect(Self.leftOut(rules).places == [2, 3, 4, 5])
  }

  @Test func severalRulesLeaveOutWhatAnyOfThemDoes() throws {
    var rules = try Self.skip("#shorts", "/replay/")
    rules.only = try [EntryPattern("episode"), EntryPattern("*news*"), EntryPattern("#shorts")]
    rules.minDuration = RuleTime(parsing: "15m")
    let left = Self.leftOut(rules).places
    #expect(left == Self.entries.indices.filter { ![11, 12, 13, 30].contains($0) })
  }

  @Test func theRuleIsNamed() throws {
    var rules = try Self.skip("#shorts", "/a\u{1B}b/")
    rules.only = try [EntryPattern("a"), EntryPattern("b")]
    rules.newest = 20
    rules.since = RuleStart(parsing: "90d")
    #expect(rules.words(for: .skip(0)) == "skip \"#shorts\"")
    #expect(!rules.words(for: .skip(1)).contains("\u{1B}"))
    #expect(rules.words(for: .only) == "only \"a\" or \"b\"")
    #expect(rules.words(for: .newest) == "newest 20")
    #expect(rules.words(for: .since) == "since 90d")
    rules.live = false
    #expect(rules.words(for: .live) == "live false")
  }

  private static let mistakes: [(String, String)] = [
    ("", "has no words"), ("  ", "has no words"), ("*", "has no words"),
    ("notes:", "has no words"), ("/(/", "missing closing parenthesis at character 2"),
    ("/é[/", "missing terminating ] for character class at character 3"), ("//", "is empty"),
    ("/live", "does not end with /"), ("/", "does not end with /"),
    (#"/\C/"#, "is not a regular expression"),
    ("/" + String(repeating: "a", count: 1001) + "/", "longer than 1000 bytes"),
    ("/((a{1,500}){1,500}){1,500}/", "is not a regular expression"),
  ]

  @Test(arguments: mistakes)
  func aMistakeIsNamed(pattern: String, words: String) {
    let error = #expect(throws: RuleError.self) { try EntryPattern(pattern) }
    #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
  }

  @Test(arguments: ["", "m", "2x", "-2m", "10000000000000s", "m2", "1m 1h"])
  func whatIsNoTimeIsRefused(text: String) {
    #expect(RuleTime(parsing: text) == nil)
    #expect(RuleStart(parsing: text) == nil)
  }

  /// A number alone may be meant as days.
  @Test(arguments: ["2026-13-01", "01.02.2026", "yesterday", "90", "0d"])
  func whatIsNoDayIsRefused(text: String) {
    #expect(RuleStart(parsing: text) == nil)
  }

  /// Expressions that need a time that grows like a power, or doubles with each character.
  private static let hostile = [
    "/(a+)+$/", "/(a|a)*b/", "/(a|aa)+$/", "/(.*)*x/", "/(.*.*)*y/", "/(x+x+)+y/",
    "/^(([a-z])+.)+[A-Z]([a-z])+$/", "/((a?){30})a{30}b/", "/(.*)(.*)(.*)(.*)(.*)z/",
    "/(?:a*)*(?:a*)*b/", #"/(a*)*\1b/"#, #"/(?=(a+))a*b\1/"#, "/(?R)?a+b/", "/(a+(?1)?)+b/",
    "/.*.*.*.*.*.*.*=/", #"/(\w+\s?)*!$/"#, #"/[\s\S]*[\s\S]*[\s\S]*[\s\S]*~/"#,
    // One item looks at much, forwards or backwards, before it fails or is given back whole.
    "/(?:(?=.*+)a)*[b!]/", "/(?>a*)[b1]|(?>[ax]*)[b2]/", "/(?|(a*+)1|(a*+)2|(a*+)3|(a*+)4)|[!b]/",
    "/(?:(?=a{2100}[b!])|.)*[!b]/", #"/(.{1000})(?:(?=\1[b!])|.)*[!b]/"#,
    "/(?<n>.{1000})(?:(?=(?P=n)[b!])|.)*[!b]/", "/(?:(?<=.{2000}a)|.)*[!b]/",
    #"/(?:(?=\X*+)\w)*[!b]/"#, #"/(?:\R|\X|.)*[!b]/"#, #"/(?:(?=\p{L}*+)|.)*\d/"#,
    // Much to remember at each item.
    "/" + String(repeating: "()", count: 480) + "a*?[!b]/",
    "/" + String(repeating: "(", count: 200) + "a*?" + String(repeating: ")", count: 200) + "[!b]/",
  ]

  /// The processor time of this thread. Other work on the machine adds nothing to it.
  private static var processorTime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  @Test(arguments: hostile)
  func aHostileExpressionEndsSoon(pattern: String) throws {
    var rules = EntryRules()
    rules.skip = try (0..<20).map { _ in try EntryPattern(pattern) }
    for text in [
      String(repeating: "a", count: 5000), String(repeating: "ax", count: 2500),
      String(repeating: "x", count: 5000), String(repeating: "ä ", count: 2500),
      String(repeating: "e\u{301}", count: 1300) + "b", String(repeating: "a", count: 4000) + "!b",
    ] {
      let subject = RuleSubject(title: text, notes: text, duration: nil, modified: 0)
      var best = Duration.seconds(1)
      let limit = Figure.rulePace.time
      // Other work takes the caches, so a slow try is repeated.
      for _ in 0..<60 where best > limit {
        var sieve = RuleSieve(rules, now: 0)
        let start = Self.processorTime
        _ = sieve.rule(for: subject, at: 0)
        best = min(best, Self.processorTime - start)
      }
      #expect(best <= limit || best <= (limit * 1.5).here, "\(text.prefix(2)): \(best)")
    }
  }

  @Test func aPatternThatTakesTooLongIsGivenUpAndNamed() throws {
    var sieve = RuleSieve(try Self.skip("/(a+)+$/", "b"), now: 0)
    let title = String(repeating: "a", count: 40) + " b"
    for place in 0..<1000 {
      let subject = RuleSubject(title: title, notes: nil, duration: nil, modified: 0)
      #expect(sieve.rule(for: subject, at: place) == .skip(1))
    }
    #expect(sieve.complaints.count == 1)
    #expect(
      sieve.complaints.first?.hasPrefix("/(a+)+$/ takes too long to search in 10 entries") == true)
  }
}
