import Testing

/// The scripts that run the tests know the same things as the tests.
@Suite(.timeLimit(.minutes(1)))
struct TestRunTests {
  private static let suites = Repository.text(of: "Tests/Run/suites.py")

  /// Each program has a run of its own; one that the script does not name would be tried by nobody.
  @Test func everyPlayerHasARunOfItsOwn() throws {
    let text = Repository.text(of: "Tests/PromiseTests/StreamPlayerTests.swift")
    let programs = try #require(
      text.firstMatch(of: /enum FilmProgram[^{]*\{((?:\s+case [a-z, ]+)+)/))
    let cases = programs.1.split(whereSeparator: { !$0.isLetter }).filter { $0 != "case" }
    let named = try #require(Self.suites.firstMatch(of: /PLAYERS = \(([^)]*)\)/))
    #expect(cases.count > 10)
    #expect(Set(cases) == Set(named.1.split(whereSeparator: { !$0.isLetter })))
  }

  /// A suite with a sample in each run is in a full count.
  @Test func whatIsSampledIsInTheFullCount() throws {
    let soak = try #require(
      Repository.text(of: "Makefile").firstMatch(of: /SOAK \?= ((?:[^\n]*\\\n)*[^\n]*)/))
    let marks = ["Scale.", "onKernel:", ".whateverLengthTheFeedClaims"]
    for (path, text) in Repository.texts(below: "Tests", endingWith: "Tests.swift")
    where marks.contains(where: text.contains) && !path.hasPrefix("HouseTests") {
      let name = path.split(separator: "/").last.map { $0.dropLast(".swift".count) } ?? ""
      #expect(soak.1.contains(name + ":"), "\(name)")
    }
  }

  /// The runner refuses a full count with a suite that it does not run by itself.
  @Test func eachSuiteOfTheFullCountIsOneThatRunsByItself() throws {
    let soak = try #require(
      Repository.text(of: "Makefile").firstMatch(of: /SOAK \?= ((?:[^\n]*\\\n)*[^\n]*)/))
    let paths = Repository.texts(below: "Tests", endingWith: "Tests.swift").keys
    let apart = Repository.text(of: "Tests/Run/suites.py").split(separator: "\n")
      .filter { $0.hasPrefix("_APART") }.joined()
    let names = soak.1.split { $0.isWhitespace || $0 == "\\" }.map { $0.prefix { $0 != ":" } }
    #expect(names.count > 30)
    for name in names {
      let isPromise = paths.contains("PromiseTests/\(name).swift")
      #expect(isPromise || apart.contains(name.dropLast("Tests".count)), "\(name)")
    }
  }
}
