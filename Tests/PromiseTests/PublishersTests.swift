import Glibc
import TestSupport
import Testing

extension Promises {
  /// One mount of the feeds of all publishers, served by one origin.
  @Suite(.serialized, .timeLimit(.minutes(4)), .enabled(if: canMount)) struct PublishersTests {
    struct Choice: CustomTestStringConvertible, Sendable {
      let options: [String]
      var hasResolver = false
      let wish: @Sendable (PublisherFeed.Item) -> PublisherFeed.Wish
      var testDescription: String {
        (options + (hasResolver ? ["with a resolver"] : [])).joined(separator: " ")
      }
    }

    private static let choices = [
      Choice(options: []) { $0.wanted }, Choice(options: ["--max-height", "720"]) { $0.upTo720 },
      Choice(options: ["--audio"]) { $0.withAudio },
      Choice(options: [], hasResolver: true) { $0.resolved ?? $0.wanted },
    ]

    /// Feeds, and no lists of feeds.
    private static let rows = PublisherFeed.all.filter {
      $0.refusal == nil && $0.items.first?.wanted != .told("feed")
    }

    private let feed: MountedFeed
    private var origin: String { String(feed.origin.url("/").dropLast()) }

    init() throws {
      feed = try MountedFeed()
      for row in PublisherFeed.all {
        let path = String(row.path.prefix { $0 != "?" })
        try feed.origin.put(row.document(at: origin), at: path, type: row.type)
      }
      let wishes = Self.rows.flatMap(\.items).flatMap { item in
        [item.wanted, item.upTo720, item.withAudio] + [item.resolved].compactMap(\.self)
      }
      for url in Set(wishes.compactMap(address(of:))) where !Self.isStream(url) {
        try feed.origin.put(Self.content(of: url), at: Self.path(of: url), type: "video/mp4")
      }
    }

    @Test(arguments: choices)
    func eachFileIsReadFromItsFirstByteToItsLast(choice: Choice) throws {
      let subscriptions = Self.rows.indices.map { index in
        "[[feed]]\nname = \"row \(index)\"\nurl = \"\(origin)\(Self.rows[index].path)\"\n"
      }
      let resolver = choice.hasResolver ? "resolver = [\"\(try resolver())\", \"{url}\"]\n" : ""
      try feed.write(resolver + subscriptions.joined(), to: MountedFeed.configuration)
      // The numbers tell the order of the files.
      try feed.mountSubscriptions(options: choice.options + ["--names", "number"])
      for (index, row) in Self.rows.enumerated() {
        let urls = row.items.compactMap { address(of: choice.wish($0)) }
        let folder = "row \(index)"
        // Without a resolver an announced page is a file, too, and comes behind the others here.
        let count = urls.count + (choice.hasResolver ? 0 : row.items.count { $0.isAnnounced })
        _ = try eventually { try files(in: folder).count == count }
        let names = try files(in: folder)
        #expect(names.count == count, "\(row): \(names)")
        for (name, url) in zip(names, urls) {
          if Self.isStream(url) {
            #expect(name.hasSuffix(".mkv"), "\(row): \(name)")
            continue
          }
          let truth = Self.content(of: url)
          let file = try MountedFile("\(feed.mountPoint)/\(folder)/\(name)")
          #expect(try file.read(0..<16) == Array(truth.prefix(16)), "\(row): \(name)")
          let end = truth.count - 16
          #expect(
            try file.read(end..<truth.count + 9) == Array(truth.suffix(16)), "\(row): \(name)")
        }
      }
      try feed.unmount()
      // Each page was asked for once.
      let asked = Self.rows.flatMap(\.items).filter {
        if case .page = choice.wish($0) { true } else { false }
      }
      #expect(try self.asked().count == asked.count && asked.isEmpty != choice.hasResolver)
    }

    @Test func whatIsNoFileIsToldWithItsReason() throws {
      for row in PublisherFeed.all {
        let outcome = try feed.feedfs("feed", "show", "--all", "\(origin)\(row.path)")
        if let refusal = row.refusal {
          #expect(outcome.status == 66 && outcome.err.contains(refusal), "\(row): \(outcome)")
          continue
        }
        let lines = outcome.out.split(separator: "\n").dropFirst()
          .filter { !$0.hasPrefix("note: ") }
        #expect(lines.count == row.items.count, "\(row): \(outcome)")
        for (line, item) in zip(lines, row.items) {
          switch item.wanted {
          case .told where item.isAnnounced: #expect(line.hasPrefix("0"), "\(row): \(line)")
          case .told(let reason): #expect(line.hasPrefix("-") && line.contains(reason), "\(row)")
          case .file, .page: #expect(line.hasPrefix("0"), "\(row): \(line)")
          }
        }
      }
    }

    // MARK: Private

    /// Writes a resolver that prints an address for each page, which no other page has. Returns its path.
    private func resolver() throws -> String {
      try feed.write(
        """
        #!/bin/sh
        echo "$1" >>"\(feed.folder)/asked"
        echo "\(origin)/resolved/$(printf %s "$1" | LC_ALL=C tr -c 'A-Za-z0-9' -).mp4"

        """, to: "resolver", mode: 0o755)
      return feed.folder + "/resolver"
    }

    /// The pages for which the resolver was run.
    private func asked() throws -> [Substring] {
      try ChildProcess.run(["sh", "-c", "cat \"$1\" || true", "sh", feed.folder + "/asked"])
        .out.split(separator: "\n")
    }

    /// The address of the bytes, with "{o}"; nil if there are none.
    private func address(of wish: PublisherFeed.Wish) -> String? {
      switch wish {
      case .told: return nil
      case .file(let url): return url
      case .page(let page):
        let name = page.replacing("{o}", with: origin)
          .map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
        return "{o}/resolved/\(String(name)).mp4"
      }
    }

    /// The names of the entries' files, in order.
    private func files(in folder: String) throws -> [String] {
      try feed.names(in: folder).filter { $0.first?.isNumber == true && !$0.hasSuffix(".vtt") }
        .sorted()
    }

    /// Whether a file is made of a playlist or a manifest. What is in it is no concern of this table.
    private static func isStream(_ url: String) -> Bool {
      [".m3u8", ".mpd"].contains { path(of: url).hasSuffix($0) }
    }

    private static func path(of url: String) -> String {
      String(url.dropFirst("{o}".count).prefix { $0 != "?" })
    }

    /// Bytes that no other address has.
    private static func content(of url: String) -> [UInt8] {
      let path = Array(path(of: url).utf8)
      return (0..<40_000).map {
        path[$0 % path.count] &+ UInt8(truncatingIfNeeded: $0 / path.count)
      }
    }
  }
}
