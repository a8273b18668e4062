import FoundationEssentials
import Glibc
import TestSupport

/// A feed of entries that only have a page, and a resolver that prints what the test has written.
struct WebPages {
  let feed: any Drive

  /// The answers of the resolver, a file for each page.
  private var answers: String { feed.folder + "/answers" }

  init(_ feed: any Drive) throws {
    self.feed = feed
    for folder in [feed.folder + "/.config/feedfs", answers] {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
  }

  /// Serves `count` entries by `feed`, and has a resolver for their pages.
  static func resolved(_ count: Int, by feed: any Drive) throws -> WebPages {
    let pages = try WebPages(feed)
    try pages.serve(count)
    try pages.useResolver()
    return pages
  }

  func page(_ number: Int) -> String { feed.origin.url("/watch/\(number)") }

  /// Serves entries at `/pages`, each with its page and `content`.
  func serve(_ count: Int, content: (Int) -> String = { _ in "" }) throws {
    let items = (1...count).map { number in
      "<item><guid>\(number)</guid><title>Entry \(number)</title><link>\(page(number))</link>"
        + content(number) + "</item>"
    }
    try feed.origin.put(
      """
      <rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel><title>t</title>
      \(items.joined())</channel></rss>
      """, at: "/pages", type: "application/rss+xml")
  }

  /// Writes the configuration with a resolver that prints the answer of each page, and notes each call.
  ///
  /// - Parameter before: commands that it runs first.
  func useResolver(before: String = "true") throws {
    let script = """
      #!/bin/sh
      echo "$1" >>"\(feed.folder)/asked"
      \(before)
      cat "\(answers)/${1##*/}"

      """
    let path = feed.folder + "/resolver"
    try Data(script.utf8).write(to: URL(filePath: path))
    chmod(path, 0o755)
    try configure("resolver = [\"\(path)\", \"{url}\"]")
  }

  func configure(_ text: String) throws {
    let path = feed.folder + "/.config/feedfs/config.toml"
    try Data((text + "\n").utf8).write(to: URL(filePath: path))
    chmod(path, 0o600)
  }

  /// Has the resolver print `text` for a page from now on.
  func answer(_ number: Int, _ text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: answers + "/\(number)"), options: .atomic)
  }

  /// The pages for which the resolver was run, in order.
  var asked: [String] {
    let text = try? String(contentsOfFile: feed.folder + "/asked", encoding: .utf8)
    return (text ?? "").split(separator: "\n").map(String.init)
  }

  /// A format of a document.
  func format(_ file: PatternFile, height: Int, _ members: String = "") -> String {
    """
    {"format_id": "\(file.name)", "url": "\(feed.origin.url(file.path))", "ext": "mp4", "protocol": "http",
     "height": \(height), "vcodec": "avc1.64001f", "acodec": "mp4a.40.2"\(members)}
    """
  }

  func document(_ formats: [String], _ members: String = "") -> String {
    #"{"_type": "video", "title": "Learned", "formats": [\#(formats.joined(separator: ", "))]\#(members)}"#
  }
}
