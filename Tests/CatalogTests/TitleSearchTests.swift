import Catalog
import Testing

/// A title, or a part of one, stands for its entry.
@Suite(.timeLimit(.minutes(1)))
struct TitleSearchTests {
  private static let titles = [
    "A talk about caches", "A talk about locks", "Caches", "The end of caches", "Straße", "ÉTÉ",
    "Twin", "twin",
  ]

  private static let cases: [(String, [Int])] = [
    ("A talk about caches", [0]), ("a TALK about caches", [0]), ("a talk", [0, 1]),
    ("A talk about l", [1]), ("caches", [2]), ("cache", [2]), ("the end", [3]), ("of cach", [3]),
    ("about", [0, 1]), ("strasse", [4]), ("e\u{301}te\u{301}", [5]), ("TWIN", [6, 7]),
    ("nothing", []), ("", []), ("A talk about caches!", []),
  ]

  @Test(arguments: cases)
  func theBestFitCounts(text: String, places: [Int]) {
    var search = TitleSearch<Int>(text)
    for (place, title) in Self.titles.enumerated() { search.look(at: title, of: place) }
    #expect(search.found.map(\.place) == places)
  }

  @Test(
    arguments: [
      ("A tlak about cahces", [0]), ("about lokcs", [1]), ("strase", [4]), ("cachse", [0, 2, 3]),
      ("twim", [6, 7]), ("nothing", []), ("xy", []), ("", []),
    ] as [(String, [Int])])
  func whatIsMistypedIsNear(text: String, places: [Int]) {
    let titles = Self.titles.enumerated().map { (title: $1, place: $0) }
    let near = TitleSearch.near(text, among: titles)
    #expect(near.map(\.place).sorted() == places)
  }

  @Test func theNearestIsTheFirstToBeProposed() {
    let titles = [(title: "Logs\u{1B}", place: 1), (title: "Locks", place: 2)]
    let near = TitleSearch.near("locsk", among: titles)
    let guess = TitleSearch.guess(near) { "000\($0).mp4" }
    #expect(guess.hasPrefix("did you mean 0002.mp4 \"Locks\" or 0001.mp4 \"Logs"))
    #expect(guess.hasSuffix("\"?") && !guess.contains("\u{1B}"))
  }

  @Test func severalAreNamed() {
    let found = (1...7).map { (title: "Talk \($0)\u{1B}", place: $0) }
    let words = TitleSearch.doubt(about: "talk", found) { "000\($0).mp4" }
    #expect(words.hasPrefix("\"talk\" may mean 0001.mp4 \"Talk 1"))
    #expect(
      words.hasSuffix(" and 2 more; give the number or the full title") && !words.contains("\u{1B}")
    )
  }
}
