import Catalog
import FeedReading
import Glibc
import HTTP
import Host
import Markup
import Resolving
import Streams
import SystemPackage
import World

/// Finds out whether a feed's resolver can be run, and what it finds at one page.
package struct ResolverCheckup: Sendable {
  private let choice: FeedChoice

  package init(_ choice: FeedChoice) {
    self.choice = choice
  }

  /// Findings about the resolver program; none if the feed has no resolver. Runs the program only
  /// if it is yt-dlp, to learn its version. Blocks.
  package var program: [Finding] {
    guard let name = choice.resolver.first else { return [] }
    guard let path = Program.find(name), access(path, X_OK) == 0 else {
      let isKnown = name.split(separator: "/").last == "yt-dlp"
      return [
        .bad(
          "resolver", "the program \(name) cannot be found",
          mend: isKnown
            ? "`pipx install yt-dlp` installs it, or the package yt-dlp of your distribution"
            : "install it, or correct the key `resolver` in config.toml")
      ]
    }
    guard path.split(separator: "/").last == "yt-dlp" else {
      return [.ok("resolver", path)]
    }
    guard let version = Self.version(of: path) else {
      return [
        .bad(
          "resolver", "\(path) does not tell its version", mend: "see what `\(path) --version` says"
        )
      ]
    }
    guard let age = Self.age(of: version, at: WallClock.real.seconds), age > Self.oldAge else {
      return [.ok("resolver", "yt-dlp \(version), \(path)")]
    }
    return [
      .warn(
        "resolver", "yt-dlp \(version), \(path), is \(age) days old, and sites change often",
        mend: "`pipx upgrade yt-dlp`, or `yt-dlp -U`, brings a newer one")
    ]
  }

  /// Returns findings about the first web page of `feed`, for which it runs the resolver once.
  /// Returns none if no entry is a web page.
  func page(of feed: Feed, by client: HTTPClient) async -> [Finding] {
    let media = feed.entries.lazy.compactMap(\.media).first { $0.isPage }
    guard let page = media?.url, choice.media.pages || choice.media.announcedPages else {
      return []
    }
    let finder = Resolver.finder(
      choice.resolver, of: choice.typed, by: client, wall: .real, tasks: .real,
      jobs: { DispatchJobs($0, qos: $1) })
    let start = ContinuousClock.now
    let answer = await finder.find(page)
    let milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
    return [Self.finding(answer, choice.media, milliseconds)]
  }

  static func finding(
    _ answer: FinderAnswer, _ choice: MediaChoice, _ milliseconds: Int
  ) -> Finding {
    let mend = "see docs/feeds.md, \"Resolvers\"; other pages of the feed may work"
    switch answer {
    case .stopped: return .bad("page", "the resolver was stopped", mend: mend)
    case .failed(let reason): return .bad("page", reason, mend: mend)
    case .media(let media):
      guard media.obstacle == nil, let place = place(of: media, choice) else {
        return .bad("page", FormatChoice(choice).reason(for: media, isStream: nil), mend: mend)
      }
      return .ok(
        "page", "the first web page of the feed leads to \(place), found in \(milliseconds) ms")
    }
  }

  // MARK: Private

  /// Returns words for the stream or file that a mount would read; nil if there is none.
  private static func place(of media: PageMedia, _ choice: MediaChoice) -> String? {
    let formats = FormatChoice(choice)
    let duration = media.duration.map { FeedDuration.clock($0) }
    if let wishes = StreamWishes(choice),
      let stream = formats.stream(of: media, isStream: nil, wishes)
    {
      let reason: String? = if case .source(let chosen) = stream { chosen.reason } else { nil }
      return words("a stream that becomes a file", [reason, duration])
    }
    return formats.ranked(media.formats).first.map { best in
      let count = media.formats.count
      return words(
        "a file",
        [
          best.height.map { "\($0) lines" },
          MediaType.fileExtension(type: best.type, url: best.url), duration,
          count > 1 ? "the best of \(count)" : nil,
        ])
    }
  }

  private static func words(_ what: String, _ facts: [String?]) -> String {
    let known = facts.compactMap(\.self).joined(separator: ", ")
    return known.isEmpty ? what : "\(what) (\(known))"
  }

  /// The age in days from which yt-dlp is called old.
  private static let oldAge = 120

  /// Returns the age in days of a version that is a date, such as "2026.10.26"; nil for any other
  /// version.
  static func age(of version: String, at now: Int) -> Int? {
    let date = version.split(separator: ".").prefix(3)
    guard date.count == 3 else { return nil }
    return FeedDate.parse(date.joined(separator: "-")).map { (now - $0) / 86_400 }
  }

  private static func version(of path: String) -> String? {
    guard let pipe = try? Pipe() else { return nil }
    defer { try? pipe.readEnd.close() }
    var program = Program(path, "--version")
    program.output = pipe.writeEnd
    program.startsSession = true
    let process = try? program.start()
    try? pipe.writeEnd.close()
    guard let process else { return nil }
    defer { _ = Program.end(of: process) }
    var ready = pollfd(fd: pipe.readEnd.rawValue, events: Int16(POLLIN), revents: 0)
    let bytes = poll(&ready, 1, timeout) == 1 ? try? pipe.readEnd.readPiece() : nil
    kill(-process, SIGKILL)
    let line = String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n").first
    return line.map { PrintableText.line(String($0.prefix(40))) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The timeout of `yt-dlp --version`, in milliseconds. Its first start is slow, because it
  /// unpacks itself.
  private static let timeout: Int32 = 15_000
}
