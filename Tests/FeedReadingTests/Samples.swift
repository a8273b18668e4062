import FeedReading
import Testing

/// An RSS feed around `channel`.
func rss(_ channel: String, root: String = #"<rss version="2.0">"#) -> String {
  "<?xml version=\"1.0\"?>\n\(root)<channel>\(channel)</channel></rss>"
}

/// The namespaces that RSS feeds of podcasts declare.
let podcastRoot = """
  <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" \
  xmlns:media="http://search.yahoo.com/mrss/" xmlns:atom="http://www.w3.org/2005/Atom" \
  xmlns:podcast="https://podcastindex.org/namespace/1.0" \
  xmlns:psc="http://podlove.org/simple-chapters" xmlns:dc="http://purl.org/dc/elements/1.1/">
  """

/// An Atom 1.0 feed around `content`.
func atom(_ content: String) -> String {
  #"<feed xmlns="http://www.w3.org/2005/Atom">\#(content)</feed>"#
}

func parse(
  _ text: String, base: String = "https://example.org/feed.xml", audio: Bool = false
) throws -> Feed {
  var choice = MediaChoice()
  choice.audio = audio
  return try FeedParser.parse(Array(text.utf8), base: base, choice: choice)
}

/// The only entry of an RSS feed with one item.
func item(_ content: String) throws -> Entry {
  let feed = try parse(rss("<item>\(content)</item>", root: podcastRoot))
  return try #require(feed.entries.first)
}
