import TestSupport
import Testing

extension Promises {
  /// The commands of docs/first-evening.md, typed one after the other, answer as the page says.
  @Suite(
    .timeLimit(.minutes(3)),
    .unless(OrdinaryUser.obstacle),
    .enabled(if: isInstalled("mpv") && isInstalled("ffmpeg"), "mpv or ffmpeg is not installed"))
  struct FirstEveningTests {
    private let newcomer: Newcomer

    init() throws {
      newcomer = try Newcomer()
    }

    @Test func eachCommandOfTheEveningAnswersAsThePageSays() throws {
      try serve()
      let steps = TypedStep.all(in: contents(of: Newcomer.source + "/docs/first-evening.md"))
      #expect(steps.count > 25)
      defer {
        for place in ["feed", "feeds"] {
          _ = try? newcomer.type("feedfs unmount --force ~/\(place); fusermount3 -uqz ~/\(place)")
        }
      }
      for step in steps {
        let outcome = try newcomer.type(real(step.command))
        #expect(outcome.status == 0 && outcome.err.isEmpty, "\(step.command): \(outcome)")
        let missing = step.missing(in: example(outcome.out))
        #expect(missing == nil, "\(step.command): \(outcome.out)")
      }
    }

    @Test func anotherAnswerThanThatOfThePageIsFound() throws {
      let page = "```\n$ one\nA   2.5 MiB of 3\n…\nB, …\n$ two\n```\n\n```\n$ three\n```\n"
      let steps = TypedStep.all(in: page)
      #expect(steps.map(\.command) == ["one", "two", "three"])
      #expect(steps[0].missing(in: "A 17 KiB of 4\nC\nB, and more\n") == nil)
      #expect(steps[0].missing(in: "B, and more\nA 17 KiB of 4\n") == "B, …")
      #expect(steps[0].missing(in: "A 17 KiB of\nB, and more\n") == "A   2.5 MiB of 3")
      #expect(steps[1].missing(in: "a word") == "")
      #expect(steps[1].missing(in: "") == nil)
    }

    // MARK: Private

    private static let feeds = ["videos.rss": "Talks", "meetings.rss": "Meetings"]

    /// Serves both feeds of the page, with the films of `Clips`.
    private func serve() throws {
      let media = newcomer.feed.media
      try Clips.make(in: media)
      _ = try ChildProcess.run(["cp", media + "/1-front.mp4", media + "/4-far.mp4"])
      for (path, title) in Self.feeds {
        let items = zip(
          ["Trains without a network", "Files all the way down", "A talk about caches"],
          ["1-front", "2-back", "4-far"]
        ).enumerated().map { index, item in
          var written = WrittenFeed.Item(index)
          written.id = "\(path)-\(index)"
          written.title = item.0
          written.hour = (14 - 7 * index) * 24
          written.media = "/files/\(item.1).mp4"
          written.more = """
            <itunes:duration xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">\
            \(Int(Clips.seconds))</itunes:duration>
            """
          return written
        }
        try WrittenFeed(pages: [items], title: title, path: "/\(path)").serve(by: newcomer.feed)
      }
    }

    /// The command with the addresses of the test's origin.
    private func real(_ command: String) -> String {
      command.replacing("https://example.org", with: newcomer.feed.origin.url(""))
    }

    /// The answer with the addresses and the home of the page.
    private func example(_ answer: String) -> String {
      answer.replacing(newcomer.feed.origin.url(""), with: "https://example.org")
        .replacing(newcomer.feed.folder, with: "/home/me")
    }
  }
}

/// A command of a page, and the lines that it answers there.
private struct TypedStep {
  let command: String
  let answer: [String]

  /// The commands of all blocks of a page, in their order.
  static func all(in page: String) -> [TypedStep] {
    let blocks = page.split(separator: "```", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map(\.element)
    return blocks.flatMap { block in
      let lines = block.split(separator: "\n")
      let starts = lines.indices.filter { lines[$0].hasPrefix("$ ") } + [lines.endIndex]
      return zip(starts, starts.dropFirst()).map { start, end in
        TypedStep(
          command: String(lines[start].dropFirst(2)),
          answer: lines[(start + 1)..<end].map(String.init))
      }
    }
  }

  /// Returns the first line of the page that the answer does not have in its place; nil if it has
  /// all of them. A "…" stands for any lines, or for the end of a line. Where the page has no line,
  /// the answer must be empty.
  func missing(in text: String) -> String? {
    var left = text.split(separator: "\n").map { Self.plain($0) }[...]
    guard !answer.isEmpty else { return left.isEmpty ? nil : "" }
    for line in answer where line != "…" {
      let wanted = Self.plain(line)
      let found = left.firstIndex { has in
        wanted.hasSuffix("…") ? has.hasPrefix(wanted.dropLast()) : has == wanted
      }
      guard let found else { return line }
      left = left[(found + 1)...]
    }
    return nil
  }

  /// Returns a line with other numbers and bars taken out, which are others each time.
  private static func plain(_ line: some StringProtocol) -> String {
    let line = String(line).replacing(/▕[^▏]*▏/, with: "BAR")
      .replacing(/[0-9.,]*[0-9] ([KMG]i)?B\b/, with: "SIZE").replacing(/[0-9]+/, with: "N")
    return line.split(separator: " ").joined(separator: " ")
  }
}
