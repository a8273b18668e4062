import FoundationEssentials
import TestSupport
import Testing

extension Promises {
  /// The manual page says all that the program knows, and nothing else.
  @Suite(.timeLimit(.minutes(1))) struct ManualPageTests {
    private let page: Page
    private let program: Command

    init() throws {
      page = Page(contents(of: Self.source + "/docs/feedfs.1"))
      let help = try ChildProcess.run([
        BuiltBinary.path("feedfs"), "--experimental-dump-help",
      ])
      program = try JSONDecoder().decode(Help.self, from: Data(help.out.utf8)).command
    }

    @Test func eachCommandHasItsLine() {
      let names = program.names
      #expect(names.count > 25 && names.contains("cache fetch") && names.contains("umount"))
      for name in names {
        #expect(
          page.headings.contains { " \($0) ".contains(" \(name) ") }, "\(name) is not on the page")
      }
    }

    @Test func itHasTheOptionsOfTheProgramAndNoOthers() {
      let options = program.options
      #expect(options.count > 60 && options.isSuperset(of: ["--no-audio", "-o", "--dry-run"]))
      #expect(page.options == options)
    }

    @Test func eachOptionOfMountHasItsLine() throws {
      let mount = try #require(program.subcommands?.first { $0.commandName == "mount" })
      let own = mount.options.subtracting(["--help", "-h", "--version"])
      #expect(own.count > 40)
      let lines = page.section("OPTIONS OF MOUNT").flatMap { $0.split(separator: " ") }
      #expect(own.subtracting(lines.map(String.init)) == [])
    }

    @Test func itDescribesTheOptionsOfMountAsTheProgramDoesAndSoDoesThePageAboutMounting() throws {
      let outcome = try check(BuiltBinary.path("feedfs"))
      #expect(outcome == (0, "", ""), "\(outcome)")
    }

    @Test func anotherDescriptionOfAnOptionIsFoundOnBothPages() throws {
      let folder = try makeTemporaryFolder()
      defer { _ = try? ChildProcess.run(["rm", "-rf", folder]) }
      let changed = folder + "/feedfs"
      let script = """
        printf '#!/bin/sh\\n%s "$@" | sed "s/other users/others/"\\n' "$1" >"$2"; chmod 755 "$2"
        """
      _ = try ChildProcess.run(["sh", "-c", script, "sh", BuiltBinary.path("feedfs"), changed])
      let outcome = try check(changed)
      #expect(outcome.status == 1 && outcome.out.isEmpty)
      #expect(outcome.err.contains("docs/mounting.md") && outcome.err.contains("docs/feedfs.1"))
    }

    private func check(_ program: String) throws -> (status: Int32, out: String, err: String) {
      try ChildProcess.run(["python3", Self.source + "/docs/options.py", program, "--check"])
    }

    @Test func itsExitCodesAreThoseOfTheDocuments() {
      let rows = contents(of: Self.source + "/docs/configuration.md").split(separator: "\n")
      let codes = rows.compactMap { row in
        row.hasPrefix("| ") ? Int(row.dropFirst(2).prefix { $0 != " " }) : nil
      }
      #expect(codes.count > 8 && codes.contains(75))
      #expect(page.section("EXIT STATUS").compactMap { Int($0) } == codes)
    }

    @Test(.enabled(if: isInstalled("groff"), "groff is not installed"))
    func groffHasNothingToComplainAbout() throws {
      let outcome = try ChildProcess.run([
        "groff", "-man", "-ww", "-Tutf8", Self.source + "/docs/feedfs.1",
      ])
      #expect(outcome.status == 0 && outcome.err.isEmpty, "\(outcome.err)")
    }

    private static let source =
      "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
  }
}

/// The lines of a manual page, without their markup.
private struct Page {
  private let lines: [(heading: Bool, text: String)]

  init(_ roff: String) {
    var isHeading = false
    lines = roff.split(separator: "\n").map { line in
      defer { isHeading = line == ".TP" }
      return (isHeading, Self.plain(line))
    }
  }

  /// The terms that the page explains: the line after each `.TP`.
  var headings: [String] { lines.filter(\.heading).map(\.text) }

  /// All options that the page names.
  var options: Set<String> {
    let words = lines.flatMap { $0.text.split(separator: " ") }
    return Set(words.filter { $0.hasPrefix("-") && $0 != "--" && $0 != "-" }.map(String.init))
  }

  /// Returns the terms that a section explains.
  func section(_ title: String) -> [String] {
    guard let start = lines.firstIndex(where: { $0.text == ".SH \(title)" }) else { return [] }
    let rest = lines[(start + 1)...]
    return rest.prefix { !$0.text.hasPrefix(".SH") }.filter(\.heading).map(\.text)
  }

  /// Returns the words of a line: without comments, fonts and the macros that choose them.
  private static func plain(_ line: Substring) -> String {
    if line.hasPrefix(".\\\"") { return "" }
    var text = line.replacing("\\-", with: "-")
    for font in ["\\fB", "\\fI", "\\fR"] { text = text.replacing(font, with: "") }
    for macro in [".BR ", ".B ", ".I ", ".RB ", ".RI "] where text.hasPrefix(macro) {
      text = text.dropFirst(macro.count)
    }
    return text.split { " \"[],|;".contains($0) }.joined(separator: " ")
  }
}

/// The help of the program, as its parser describes it.
private struct Help: Decodable {
  let command: Command
}

private struct Command: Decodable {
  struct Argument: Decodable {
    struct Name: Decodable {
      let kind: String
      let name: String
    }

    let names: [Name]?
  }

  let commandName: String
  let aliases: [String]?
  let arguments: [Argument]?
  let subcommands: [Command]?

  /// The commands below this one that do something, each with its other names.
  var names: [String] {
    (subcommands ?? []).filter { $0.commandName != "help" }.flatMap { command in
      command.subcommands == nil
        ? [command.commandName] + (command.aliases ?? [])
        : command.names.map { "\(command.commandName) \($0)" }
    }
  }

  /// The options of this command and of all below it.
  var options: Set<String> {
    let own = (arguments ?? []).flatMap { $0.names ?? [] }
      .map { ($0.kind == "long" ? "--" : "-") + $0.name }
    return (subcommands ?? []).filter { $0.commandName != "help" }
      .reduce(into: Set(own)) { $0.formUnion($1.options) }
  }
}
