import Control
import TestSupport

/// The feed of a drive: its origin, its names, its bytes.
extension Drive {
  /// Serves `files` of `Pattern` as RSS at `/feed`; the first is `0001.mp4`.
  func serve(_ files: [PatternFile]) throws {
    let items = files.map { file in
      """
      <item><title>\(file.name)</title><guid isPermaLink="false">\(file.name)</guid>
      <pubDate>Fri, 01 May 2026 10:00:00 GMT</pubDate>
      <enclosure url="\(escaped(file.url ?? origin.url(file.path)))" \(file.length) type="video/mp4"/>
      </item>
      """
    }
    let feed = """
      <?xml version="1.0"?><rss version="2.0"><channel><title>test</title>
      \(items.joined())</channel></rss>
      """
    try origin.put(feed, at: "/feed", type: "application/rss+xml")
  }

  private func escaped(_ url: String) -> String {
    url.split(separator: "&", omittingEmptySubsequences: false).joined(separator: "&amp;")
  }

  func mount(_ feed: String = "/feed") throws {
    try mount(feed, options: [])
  }

  func mount(options: [String]) throws {
    try mount("/feed", options: options)
  }

  // MARK: Names

  func path(_ number: Int) -> String {
    mountPoint + "/" + name(number)
  }

  func name(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits + ".mp4"
  }

  func names() throws -> [String] {
    try names(in: "")
  }

  /// The numbers of the listed entries.
  func entries() throws -> [Int] {
    try names().filter { $0.hasSuffix(".mp4") }.compactMap { Int($0.prefix(4)) }.sorted()
  }

  /// The inodes of the names in the root.
  func inodes() throws -> [String: UInt64] {
    let pairs = try names().map { ($0, try look(at: mountPoint + "/" + $0).inode) }
    return Dictionary(pairs) { first, _ in first }
  }

  /// The names in the order of the feed.
  func playlist() throws -> [String] {
    try text(of: mountPoint + "/playlist.m3u8").split(separator: "\n").map(String.init)
      .filter { !$0.hasPrefix("#") }
  }

  // MARK: Bytes

  func text(of path: String) throws -> String {
    String(decoding: try bytes(of: path), as: UTF8.self)
  }

  /// Returns the errno of the open of `path`, or of a read from its start; 0 if both succeed.
  func failure(ofReading path: String) throws -> Int32 {
    do {
      _ = try open(path).readAll()
      return 0
    } catch let error as ReadFailure {
      return error.errno
    }
  }

  /// Starts to read the first 64 KiB of a file.
  func reading(of path: String, at offset: Int = 0) throws -> Reading {
    try reading(of: path, at: offset, count: 64 << 10)
  }

  // MARK: The origin

  /// Requests for the bytes of entries.
  func mediaRequests() throws -> [LoggedRequest] {
    try origin.log().filter { $0.path.hasPrefix("/pattern/") || $0.path.hasPrefix("/files/") }
  }

  /// The number of media bytes that the origin has sent.
  func mediaBytes() throws -> Int {
    try mediaRequests().reduce(0) { $0 + $1.bytesSent }
  }

  /// Waits until every request for media bytes has ended.
  func settle() throws {
    for path in ["/pattern/", "/files/"] { try origin.wait(idle: true, below: path) }
  }
}
