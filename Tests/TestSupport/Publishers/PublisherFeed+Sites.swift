extension PublisherFeed {
  /// Video sites whose feeds name pages.
  static let sites: [PublisherFeed] = [
    PublisherFeed(
      "YouTube, channel", at: "/s1/feeds/videos.xml?channel_id=UC1", "text/xml",
      items: [.told("needs a resolver", page: "https://www.youtube.com/watch?v=AAAAAAAAAAA")],
      """
      <?xml version="1.0" encoding="UTF-8"?><feed xmlns:yt="http://www.youtube.com/xml/schemas/2015"
      \(PublisherNames.media) xmlns="http://www.w3.org/2005/Atom"><id>yt:channel:1</id><title>C</title>
      <entry><id>yt:video:AAAAAAAAAAA</id><yt:videoId>AAAAAAAAAAA</yt:videoId><title>T</title>
      <link rel="alternate" href="https://www.youtube.com/watch?v=AAAAAAAAAAA"/>
      <published>2026-05-01T10:00:00+00:00</published><updated>2026-05-02T10:00:00+00:00</updated>
      <media:group><media:title>T</media:title><media:content
      url="https://www.youtube.com/v/AAAAAAAAAAA?version=3" type="application/x-shockwave-flash"
      width="640" height="390"/><media:thumbnail url="https://i.ytimg.com/vi/A/hqdefault.jpg"/>
      <media:description>text</media:description></media:group></entry></feed>
      """),
    PublisherFeed(
      "YouTube, playlist", at: "/s2/feeds/videos.xml?playlist_id=PL1", "text/xml",
      items: [.told("needs a resolver", page: "https://www.youtube.com/shorts/B")],
      """
      <feed xmlns:yt="http://www.youtube.com/xml/schemas/2015" \(PublisherNames.media)
      xmlns="http://www.w3.org/2005/Atom"><yt:playlistId>PL1</yt:playlistId><title>P</title><entry>
      <id>yt:video:B</id><title>S</title><link rel="alternate" href="https://www.youtube.com/shorts/B"/>
      <published>2026-05-01T10:00:00+00:00</published><media:group><media:content
      url="https://www.youtube.com/v/B?version=3" type="application/x-shockwave-flash"/></media:group>
      </entry></feed>
      """),
    PublisherFeed(
      "Invidious, channel", at: "/feed/channel/UC1", "application/atom+xml",
      items: [.told("no media", page: "{o}/watch?v=AAAAAAAAAAA")],
      """
      <feed xmlns:yt="http://www.youtube.com/xml/schemas/2015" \(PublisherNames.media)
      xmlns="http://www.w3.org/2005/Atom" xml:lang="en-US"><title>C</title><entry>
      <id>yt:video:AAAAAAAAAAA</id><title>T</title><link rel="alternate" href="{o}/watch?v=AAAAAAAAAAA"/>
      <published>2026-05-01T10:00:00Z</published><media:group><media:title>T</media:title>
      <media:thumbnail url="{o}/vi/A/mqdefault.jpg" width="320" height="180"/></media:group></entry></feed>
      """),
    PublisherFeed(
      "Piped, channel", at: "/unauthenticated/feed/rss", "application/atom+xml",
      items: [.told("no media", page: "{o}/watch?v=AAAAAAAAAAA")],
      """
      <feed xmlns="http://www.w3.org/2005/Atom"><title>Piped - C</title><entry><title>T</title>
      <link rel="alternate" href="{o}/watch?v=AAAAAAAAAAA"/><id>yt:video:AAAAAAAAAAA</id>
      <updated>2026-05-01T10:00:00Z</updated><content type="html">&lt;a href="{o}/watch?v=A"&gt;T</content>
      </entry></feed>
      """),
    PublisherFeed(
      "Vimeo, user", at: "/user1/videos/rss", "application/rss+xml",
      items: [.announced("which needs a resolver", page: "https://vimeo.com/1")],
      PublisherNames.rss(
        "V",
        """
        <item><title>T</title><pubDate>Fri, 01 May 2026 10:00:00 -0400</pubDate>
        <link>https://vimeo.com/1</link><guid isPermaLink="false">tag:vimeo,2026-05-01:clip1</guid>
        <media:content medium="video" duration="61"><media:player
        url="https://player.vimeo.com/video/1"/><media:thumbnail url="https://i.vimeocdn.com/1.jpg"
        height="180" width="320"/></media:content></item>
        """)),
    PublisherFeed(
      "Dailymotion, user", at: "/rss/user/u", "application/rss+xml",
      items: [.told("Flash", page: "https://www.dailymotion.com/video/x1")],
      PublisherNames.rss(
        "D",
        """
        <item><title>T</title><link>https://www.dailymotion.com/video/x1</link><guid>x1</guid>
        <media:group><media:content url="https://www.dailymotion.com/swf/video/x1"
        type="application/x-shockwave-flash" duration="9"/></media:group></item>
        """)),
    page(
      "Twitch, channel", link: "https://www.twitch.tv/videos/1", text: "&lt;img src='x.jpg'&gt;"),
    page("Rumble, by RSS-Bridge", link: "https://rumble.com/v1-t.html", text: "&lt;iframe&gt;"),
    page(
      "Bitchute, channel", link: "https://www.bitchute.com/video/1/", text: "",
      more:
        #"<enclosure url="https://static.bitchute.com/1_640x360.jpg" type="image/jpeg" length="1"/>"#,
      reason: "only an image"),
    page(
      "Nebula, channel", link: "https://nebula.tv/videos/t", text: "text",
      more: #"<media:thumbnail url="https://images.nebula.tv/1"/>"#),
    page("bilibili, by RSSHub", link: "https://www.bilibili.com/video/BV1", text: "&lt;img&gt;"),
    page(
      "Reddit, a community of videos", link: "https://www.reddit.com/r/v/comments/1/t/",
      text: "&lt;a href='https://v.redd.it/1'&gt;",
      more: #"<media:thumbnail url="https://p.redd.it/1.jpg"/>"#),
    page("NASA+", link: "https://plus.nasa.gov/video/t/", text: "&lt;p&gt;A film.&lt;/p&gt;"),
    page(
      "BBC, news in pictures", link: "https://www.bbc.co.uk/news/videos/c1", text: "A film.",
      more: #"<media:thumbnail width="240" height="135" url="https://ichef.bbci.co.uk/1.jpg"/>"#),
  ]

  private static func page(
    _ name: String, link: String, text: String, more: String = "", reason: String = "no media"
  ) -> PublisherFeed {
    PublisherFeed(
      name, at: "/\(name.filter(\.isLetter))/rss", "application/rss+xml",
      items: [.told(reason, page: link)],
      PublisherNames.rss(
        name,
        """
        <item><title>T</title><link>\(link)</link><guid isPermaLink="true">\(link)</guid>
        <pubDate>Fri, 01 May 2026 10:00:00 +0000</pubDate><description>\(text)</description>\(more)</item>
        """))
  }
}
