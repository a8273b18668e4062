import TestSupport

/// A mounted feed whose entries are all one stream, packed by ffmpeg.
struct StreamFeed {
  let feed: MountedFeed
  let shape: StreamShape
  private let films: Int
  private let pages: WebPages

  /// Packs the stream; mounts nothing yet.
  ///
  /// - Parameter films: the number of entries, each with files of its own at the origin.
  init(_ shape: StreamShape, films: Int = 1) throws {
    let feed = try MountedFeed()
    _ = try StreamShapes.pack(shape, in: feed.media + "/film1")
    for number in 1...films where number > 1 {
      try Self.run(["cp", "-al", feed.media + "/film1", feed.media + "/film\(number)"])
    }
    try self.init(shape, films, feed)
  }

  private init(_ shape: StreamShape, _ films: Int, _ feed: MountedFeed) throws {
    (self.feed, self.shape, self.films) = (feed, shape, films)
    pages = try WebPages(feed)
    if shape.entry.count > 1 {
      try pages.serve(films)
      try pages.useResolver()
      for number in 1...films { try answer(number) }
    } else {
      try serve()
    }
  }

  /// Serves a feed that names the playlists themselves.
  private func serve() throws {
    let type = shape.entry[0].hasSuffix("mpd") ? "application/dash+xml" : "application/x-mpegurl"
    let items = (1...films).map { number in
      "<item><guid>\(number)</guid><title>Entry \(number)</title><enclosure length=\"0\" "
        + "type=\"\(type)\" url=\"\(feed.origin.url(path(shape.entry[0], of: number)))\"/></item>"
    }
    try feed.origin.put(
      "<rss version=\"2.0\"><channel><title>t</title>\(items.joined())</channel></rss>",
      at: "/pages", type: "application/rss+xml")
  }

  /// Has the resolver print the addresses of a film from now on, with `query` behind each.
  func answer(_ number: Int, query: String = "") throws {
    let addresses = shape.entry.map { feed.origin.url(path($0, of: number) + query) }
    try pages.answer(number, addresses.joined(separator: "\n") + "\n")
  }

  /// The path of a film in the mount. What a page leads to is not known when it gets its name.
  func film(_ number: Int) -> String {
    let path = feed.path(number)
    return shape.entry.count > 1 ? path : path.dropLast(3) + "mkv"
  }

  /// The path at the origin of a file of a film.
  func path(_ name: String, of number: Int) -> String { "/files/film\(number)/\(name)" }

  func mount(options: [String] = []) throws {
    try feed.mount("/pages", options: options)
  }

  /// Packs another stream, which `replace` puts in the place of the first film. Returns its bytes.
  func prepare(_ other: StreamShape) throws -> [UInt8] {
    _ = try StreamShapes.pack(other, in: feed.media + "/next")
    return try truth(of: "next")
  }

  /// Puts the prepared stream in the place of the first film, at once.
  func replace() throws {
    let (film, next) = (feed.media + "/film1", feed.media + "/next")
    try Self.run(["sh", "-c", "mv '\(film)' '\(film).before' && mv '\(next)' '\(film)'"])
  }

  /// The bytes of the first film, from a mount of its own.
  func truth() throws -> [UInt8] { try truth(of: "film1") }

  /// The bytes of the film in `folder`, from a mount of its own.
  func truth(of folder: String) throws -> [UInt8] {
    let other = try MountedFeed()
    try Self.run(["cp", "-a", "\(feed.media)/\(folder)", other.media + "/film1"])
    let stream = try StreamFeed(shape, 1, other)
    try stream.mount()
    return try other.bytes(of: stream.film(1))
  }

  private static func run(_ words: [String]) throws {
    let outcome = try ChildProcess.run(words)
    guard outcome.status == 0 else { throw TestToolError(outcome.err) }
  }
}
