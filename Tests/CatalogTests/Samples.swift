import FeedReading

/// An RSS feed around `channel`, with the namespaces that podcasts declare.
func rss(_ channel: String) -> String {
  """
  <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" \
  xmlns:media="http://search.yahoo.com/mrss/" \
  xmlns:sy="http://purl.org/rss/1.0/modules/syndication/"><channel>\(channel)</channel></rss>
  """
}

/// An Atom 1.0 feed around `content`.
func atom(_ content: String) -> String {
  #"<feed xmlns="http://www.w3.org/2005/Atom">\#(content)</feed>"#
}

func parse(_ text: String, base: String = "https://example.org/feed.xml") throws -> Feed {
  try FeedParser.parse(Array(text.utf8), base: base)
}
