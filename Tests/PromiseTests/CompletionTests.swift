import Glibc
import TestSupport
import Testing

extension Promises {
  /// The completions that shells offer.
  @Suite(.timeLimit(.minutes(2))) struct CompletionTests {
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
      try feed.serve([PatternFile(name: "a", size: 9), PatternFile(name: "b", size: 9)])
    }

    /// Returns bash's completions for the last of `words`, with our script.
    private func bash(_ words: String..., in place: String = "/") throws -> [String] {
      let binary = try BuiltBinary.path("feedfs")
      let folder = binary[..<(binary.lastIndex(of: "/") ?? binary.startIndex)]
      let line = words.map { "'\($0)'" }.joined(separator: " ")
      let outcome = try ChildProcess.run(
        [
          "bash", "-c",
          """
          PATH="\(folder):$PATH"
          cd "\(place)"
          eval "$(feedfs completion bash)" || exit
          COMP_WORDS=(feedfs \(line)) COMP_CWORD=\(words.count)
          COMP_LINE="${COMP_WORDS[*]}" COMP_POINT=${#COMP_LINE} COMP_TYPE=9
          _feedfs feedfs "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
          printf '%s\\n' "${COMPREPLY[@]}"
          """,
        ], environment: feed.environment)
      #expect(outcome.status == 0 && outcome.err.isEmpty, "\(outcome)")
      // A trailing space marks a complete word.
      return outcome.out.split(separator: "\n").map { String($0.split(separator: " ")[0]) }
    }

    @Test func commandsAreOffered() throws {
      #expect(try bash("sta") == ["status"])
      #expect(Set(try bash("")).isSuperset(of: ["mount", "unmount", "status", "feed", "doctor"]))
      #expect(try bash("status", "--wa") == ["--watch"])
    }

    @Test func mountsAndTheNamesOfTheirFilesAreOffered() throws {
      try feed.mount()
      #expect(try bash("unmount", feed.folder) == [feed.mountPoint])
      // The completion gives up early on a slow daemon, so this may take several tries.
      #expect(
        try eventually {
          try bash("status", feed.mountPoint + "/0").sorted() == [feed.path(1), feed.path(2)]
        })
      #expect(try bash("status", feed.path(2)) == [feed.path(2)])
      #expect(try bash("cache", "fetch", "0002", in: feed.mountPoint) == ["0002.mp4"])
      #expect(try bash("play", feed.path(2)) == [feed.path(2)])
    }

    @Test func subscriptionsFoldersAndWordsAreOffered() throws {
      let url = feed.origin.url("/feed")
      try feed.write(
        "[[feed]]\nurl = \"\(url)\"\nname = \"talks\"\n[[feed]]\nurl = \"https://a.example/f\"\n",
        to: ".config/feedfs/config.toml")
      #expect(try bash("feed", "remove", "t") == ["talks"])
      #expect(try bash("feed", "remove", "").contains { $0.hasPrefix("https") })
      #expect(try bash("limit", "o") == ["off"])
      #expect(try bash("completion", "z") == ["zsh"])
      try feed.mountSubscriptions()
      #expect(
        try eventually { try bash("play", "--feed", "ta", in: feed.mountPoint) == ["talks"] })
    }

    @Test func withADeadDaemonOrNoneNothingIsOfferedAndNothingHangs() throws {
      #expect(try bash("status", feed.mountPoint + "/0") == [])
      try feed.mount()
      try feed.process.freeze()
      let (offers, time) = try measured("completion beside a stopped daemon") {
        try bash("status", feed.mountPoint + "/0")
      }
      try feed.process.signal(SIGCONT)
      #expect(offers == [] && time < .seconds(9).here)
    }

    @Test(.enabled(if: isInstalled("make"), "make is not installed"))
    func anInstallationBringsThemAndTheManualPageAndItsRemovalTakesThemAway() throws {
      let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
      let make = [
        "make", "-sC", root, "binary=\(try BuiltBinary.path("feedfs"))",
        "DESTDIR=\(feed.folder)/new", "PREFIX=/usr",
      ]
      let installed = try ChildProcess.run(make + ["install"])
      #expect(installed.status == 0, "\(installed.err)")
      let files = [
        "bin/feedfs", "share/bash-completion/completions/feedfs",
        "share/fish/vendor_completions.d/feedfs.fish", "share/man/man1/feedfs.1",
        "share/zsh/site-functions/_feedfs",
      ]
      let script = "cd \"$1\" && find usr -type f -size +1k | sort"
      let find = ["sh", "-c", script, "sh", feed.folder + "/new"]
      #expect(try ChildProcess.run(find).out == files.map { "usr/\($0)\n" }.joined())
      let binary = "\(feed.folder)/new/usr/bin/feedfs"
      #expect(try ChildProcess.run([binary, "--version"]).status == 0)

      #expect(try ChildProcess.run(make + ["uninstall"]).status == 0)
      #expect(try ChildProcess.run(find).out == "")
    }

    @Test(arguments: ["bash", "zsh", "fish"]) func eachShellHasAScript(shell: String) throws {
      let outcome = try ChildProcess.run([
        BuiltBinary.path("feedfs"), "completion", shell,
      ])
      #expect(outcome.status == 0 && outcome.err.isEmpty)
      #expect(outcome.out.contains("---completion") && outcome.out.contains("doctor"))
      guard isInstalled(shell) else { return }
      let path = feed.folder + "/script"
      try feed.write(outcome.out, to: "script")
      let check = try ChildProcess.run([shell, "-n", path])
      #expect(check.status == 0, "\(check.err)")
    }
  }
}
