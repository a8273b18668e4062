extension PublisherFeed {
  /// Podcasts, talks and shows.
  static let podcasts: [PublisherFeed] = [
    PublisherFeed(
      "media.ccc.de, a conference", at: "/c/39c3/podcast/mp4-hq.xml", "application/xml",
      items: [.file("{o}/congress/39c3/h264-hd/39c3-1-eng-deu-A_talk_hd.mp4")],
      PublisherNames.rss(
        "C", channel: "<generator>media.ccc.de / RSS 0.3.1</generator>",
        """
        <item><title>A talk (39c3)</title><link>{o}/v/39c3-a-talk</link><enclosure
        url="{o}/congress/39c3/h264-hd/39c3-1-eng-deu-A_talk_hd.mp4" length="1" type="video/mp4"/>
        <pubDate>Sat, 27 Dec 2025 00:00:00 +0100</pubDate><guid
        isPermaLink="true">{o}/39c3.mp4?1766790000</guid><dc:identifier>b5a5</dc:identifier>
        <dc:date>2025-12-27T00:00:00+01:00</dc:date><itunes:duration>00:41:00</itunes:duration></item>
        """)),
    show(
      "TWiT, HD", "{o}/video/twit/twit1000/twit1000_h264m_1280x720_1872.mp4?dest=a&amp;b=c",
      length: "90000000",
      wanted: "{o}/video/twit/twit1000/twit1000_h264m_1280x720_1872.mp4?dest=a&b=c"),
    show("Apple, a video podcast", "{o}/podcasts/a.m4v", type: "video/x-m4v", length: "1000000"),
    show(
      "TED, HD", "{o}/talk/podcast/A_2026-480p.mp4?apikey=1", length: "100",
      wanted: "{o}/talk/podcast/A_2026-480p.mp4?apikey=1"),
    show(
      "tagesschau, in 100 seconds", "{o}/video/2026/0501/TV-20260501-2000-1200.webxxl.h264.mp4",
      length: "-1"),
    show("MediathekViewWeb, a search", "{o}/none/a_3360k_p36v17.mp4", length: "0"),
    PublisherFeed(
      "Channel 9, MRSS", at: "/Feeds/RSS", "application/xml",
      items: [.file("{o}/2026/a_high.mp4", upTo720: "{o}/2026/a_mid.mp4")],
      PublisherNames.rss(
        "9",
        """
        <item><title>T</title><guid>t</guid><enclosure url="{o}/2026/a.wmv" length="900"
        type="video/x-ms-wmv"/><media:group><media:content url="{o}/2026/a.mp3" fileSize="1"
        type="audio/mp3" medium="audio"/><media:content url="{o}/2026/a_high.mp4" height="1080"
        type="video/mp4" medium="video"/><media:content url="{o}/2026/a_mid.mp4" height="540"
        type="video/mp4" medium="video"/><media:content url="{o}/2026/a.wmv" height="360"
        type="video/x-ms-wmv" medium="video"/></media:group></item>
        """)),
    PublisherFeed(
      "Podcasting 2.0, several heights", at: "/p20/video.xml", "application/rss+xml",
      items: [.file("{o}/v/1080.mp4", upTo720: "{o}/v/720.mp4")],
      podcast(
        """
        <enclosure url="{o}/v/720.mp4" length="7200000" type="video/mp4"/>
        <podcast:alternateEnclosure type="video/mp4" height="720" default="true"><podcast:source
        uri="{o}/v/720.mp4"/></podcast:alternateEnclosure>
        <podcast:alternateEnclosure type="video/mp4" height="1080"><podcast:source
        uri="ipfs://q"/><podcast:source uri="{o}/v/1080.mp4"/></podcast:alternateEnclosure>
        """)),
    PublisherFeed(
      "Podcasting 2.0, AV1 beside H.264", at: "/p20/codecs.xml", "application/rss+xml",
      items: [.file("{o}/v/h264.mp4")],
      podcast(
        """
        <podcast:alternateEnclosure type="video/mp4" height="720" codecs="av01.0.05M.08, opus"
        default="true"><podcast:source uri="{o}/v/av1.mp4"/></podcast:alternateEnclosure>
        <podcast:alternateEnclosure type="video/mp4" height="720" codecs="avc1.4d401f, mp4a.40.2">
        <podcast:source uri="{o}/v/h264.mp4"/></podcast:alternateEnclosure>
        """)),
    PublisherFeed(
      "Podcast of sound with a picture as HLS", at: "/psp/audio-first.xml", "application/rss+xml",
      items: [.file("{o}/v/master.m3u8")],
      podcast(
        """
        <enclosure url="{o}/a/1.mp3" length="900000" type="audio/mpeg"/>
        <podcast:alternateEnclosure type="application/x-mpegURL" height="1080" title="Video">
        <podcast:source uri="{o}/v/master.m3u8"/></podcast:alternateEnclosure>
        """)),
    PublisherFeed(
      "Podcast of sound, behind trackers", at: "/audio.xml", "application/rss+xml",
      items: [.told("audio only", audio: "{o}/pdst.fm/e/op3.dev/e/cdn.example/1.mp3?x=1")],
      podcast(
        #"<enclosure url="{o}/pdst.fm/e/op3.dev/e/cdn.example/1.mp3?x=1" length="9000000" type="audio/mpeg"/>"#
      )),
    PublisherFeed(
      "WordPress, a film as enclosure", at: "/feed/", "application/rss+xml",
      items: [.file("{o}/wp-content/uploads/2026/05/a.mp4")],
      PublisherNames.rss(
        "W",
        """
        <item><title>T</title><link>{o}/2026/05/t/</link><guid isPermaLink="false">{o}/?p=1</guid>
        <pubDate>Fri, 01 May 2026 10:00:00 +0000</pubDate><content:encoded><![CDATA[<p>x</p>]]>
        </content:encoded><enclosure url="{o}/wp-content/uploads/2026/05/a.mp4" length="90000"
        type="video/mp4" /></item>
        """)),
    PublisherFeed(
      "WordPress, a film in the text", at: "/feed/text/", "application/rss+xml",
      items: [.file("{o}/a.mp4")],
      PublisherNames.rss(
        "W",
        """
        <item><title>T</title><link>{o}/2026/05/u/</link><guid isPermaLink="false">{o}/?p=2</guid>
        <content:encoded><![CDATA[<video controls src="{o}/a.mp4"></video>]]></content:encoded></item>
        """)),
  ]

  private static func show(
    _ name: String, _ url: String, type: String = "video/mp4", length: String, wanted: String? = nil
  ) -> PublisherFeed {
    PublisherFeed(
      name, at: "/\(name.filter(\.isLetter))/video.xml", "application/rss+xml",
      items: [.file(wanted ?? url)],
      PublisherNames.rss(
        name,
        """
        <item><title>T</title><guid isPermaLink="false">1</guid><link>{o}/1</link>
        <pubDate>Fri, 01 May 2026 20:00:00 +0200</pubDate><itunes:duration>1:00</itunes:duration>
        <enclosure url="\(url)" length="\(length)" type="\(type)"/></item>
        """))
  }

  private static func podcast(_ media: String) -> String {
    PublisherNames.rss(
      "P",
      """
      <item><title>T</title><guid isPermaLink="false">1</guid>
      <pubDate>Fri, 01 May 2026 10:00:00 GMT</pubDate><itunes:duration>600</itunes:duration>\(media)</item>
      """)
  }
}
