extension PublisherFeed {
  /// PeerTube, Odysee, Mastodon and Lemmy.
  static let fediverse: [PublisherFeed] = [
    PublisherFeed(
      "PeerTube, web videos", at: "/f1/feeds/videos.xml?videoChannelId=1", "application/xml",
      items: [
        .file("{o}/static/web-videos/u-1080.mp4", upTo720: "{o}/static/web-videos/u-720.mp4")
      ],
      peerTube(
        #"<enclosure type="video/mp4" length="9000000" url="{o}/download/videos/generate/u?videoFileIds=1"/>"#
          + group([1080, 720, 0].map { ("static/web-videos/u-\($0).mp4", $0) }))),
    PublisherFeed(
      "PeerTube, HLS with sound", at: "/f2/feeds/videos.xml?videoChannelId=2", "application/xml",
      items: [
        .file(
          "{o}/static/streaming-playlists/hls/u/u-1080-fragmented.mp4",
          upTo720: "{o}/static/streaming-playlists/hls/u/u-480-fragmented.mp4")
      ],
      peerTube(
        #"<enclosure type="video/mp4" length="9" url="{o}/download/videos/generate/u?videoFileIds=1"/>"#
          + group(
            [1080, 480].map { ("static/streaming-playlists/hls/u/u-\($0)-fragmented.mp4", $0) }))),
    PublisherFeed(
      "PeerTube, picture and sound apart", at: "/f3/feeds/videos.xml?videoChannelId=3",
      "application/xml",
      items: [
        .file(
          "{o}/download/videos/generate/u?videoFileIds=11&videoFileIds=12")
      ],
      peerTube(
        """
        <enclosure type="video/mp4" length="9000000"
        url="{o}/download/videos/generate/u?videoFileIds=11&amp;videoFileIds=12"/>
        """
          + group(
            [1080, 720, 0].map { ("static/streaming-playlists/hls/u/u-\($0)-fragmented.mp4", $0) }))
    ),
    PublisherFeed(
      "PeerTube, HLS with sound and its playlist", at: "/f8/feeds/podcast/videos.xml?c=2",
      "application/xml", items: [.file("{o}/static/streaming-playlists/hls/u/master.m3u8")],
      peerTube(
        #"<enclosure type="video/mp4" length="9" url="{o}/download/videos/generate/u?videoFileIds=1"/>"#
          + group(
            [1080, 480].map { ("static/streaming-playlists/hls/u/u-\($0)-fragmented.mp4", $0) })
          + playlist)),
    PublisherFeed(
      "PeerTube, podcast feed", at: "/f4/feeds/podcast/videos.xml?c=1", "application/xml",
      items: [
        .file("{o}/static/web-videos/u-1080.mp4", upTo720: "{o}/static/web-videos/u-720.mp4")
      ],
      peerTube(
        #"<enclosure url="{o}/static/web-videos/u-360.mp4" length="900000" type="video/mp4"/>"#
          + [360, 720, 1080].map { lines in
            """
            <podcast:alternateEnclosure type="video/mp4" length="\(lines)0000" title="\(lines)p"
            bitrate="\(lines)000" \(lines == 360 ? #"default="true""# : "")><podcast:source
            uri="{o}/static/web-videos/u-\(lines).mp4"/></podcast:alternateEnclosure>
            """
          }.joined() + playlist
          + #"<podcast:transcript url="{o}/c/u-en.vtt" type="text/vtt" language="en" rel="captions"/>"#
      )),
    PublisherFeed(
      "PeerTube 8.2, podcast feed, picture and sound apart",
      at: "/f5/feeds/podcast/videos.xml?videoChannelId=2", "application/xml",
      items: [
        .file("{o}/static/streaming-playlists/hls/u/master.m3u8")
      ],
      peerTube(
        [(1, 360), (2, 720), (3, 1080)].map { id, lines in
          """
          <podcast:alternateEnclosure type="video/mp4" length="90000" title="\(lines)p"
          \(id == 1 ? #"default="true""# : "")><podcast:source
          uri="{o}/download/videos/generate/u.mp4?videoFileIds=\(id)&amp;videoFileIds=9"/>
          </podcast:alternateEnclosure>
          """
        }.joined() + playlist)),
    PublisherFeed(
      "PeerTube, podcast feed whose enclosure is sound",
      at: "/f6/feeds/podcast/videos.xml?videoChannelId=3",
      "application/xml", items: [.file("{o}/static/web-videos/u-720.mp4")],
      peerTube(
        """
        <enclosure url="{o}/static/web-videos/u-0.mp4" length="90000" type="audio/mp4"/>
        <podcast:alternateEnclosure type="video/mp4" title="720p"><podcast:source
        uri="{o}/static/web-videos/u-720.mp4"/></podcast:alternateEnclosure>
        """)),
    PublisherFeed(
      "PeerTube of long ago, torrents", at: "/f7/feeds/videos.xml?c=4", "application/xml",
      items: [.file("{o}/static/webseed/u-1080.mp4", upTo720: "{o}/static/webseed/u-480.mp4")],
      peerTube(
        #"<enclosure type="application/x-bittorrent" url="{o}/static/torrents/u-1080.torrent" length="9"/>"#
          + group([1080, 480].map { ("static/webseed/u-\($0).mp4", $0) }))),
    PublisherFeed(
      "PeerTube, JSON", at: "/feeds/videos.json?videoChannelId=1", "application/json",
      items: [.told("only a torrent", page: "{o}/w/1")],
      #"""
      {"version": "https://jsonfeed.org/version/1", "title": "P", "items": [{"id": "{o}/w/1",
      "url": "{o}/w/1", "title": "T", "date_modified": "2026-05-01T10:00:00.000Z",
      "attachments": [{"mime_type": "application/x-bittorrent", "url": "{o}/u.torrent"}]}]}
      """#),
    PublisherFeed(
      "PeerTube, Atom", at: "/feeds/videos.atom?videoChannelId=1", "application/atom+xml",
      items: [.told("no media", page: "{o}/w/1")],
      """
      <feed xmlns="http://www.w3.org/2005/Atom"><id>{o}/</id><title>P</title><entry><title>T</title>
      <id>{o}/w/1</id><link href="{o}/w/1"/><updated>2026-05-01T10:00:00.000Z</updated></entry></feed>
      """),
    PublisherFeed(
      "Odysee, channel", at: "/$/rss/@c:1", "application/rss+xml",
      items: [.file("{o}/v6/streams/1/a.mp4"), .file("{o}/api/v3/streams/free/t/2/b.mp4")],
      PublisherNames.rss(
        "O",
        ["v6/streams/1/a.mp4", "api/v3/streams/free/t/2/b.mp4"].map { path in
          """
          <item><title>T</title><link>{o}/\(path)/page</link><guid isPermaLink="false">\(path)</guid>
          <pubDate>Fri, 01 May 2026 10:00:00 GMT</pubDate><enclosure url="{o}/\(path)" length="0"
          type="video/mp4"/><itunes:duration>0:01:01</itunes:duration></item>
          """
        }.joined())),
    PublisherFeed(
      "Mastodon, account", at: "/@a.rss", "application/rss+xml",
      items: [.file("{o}/media/1/original/a.mp4"), .told("only an image", page: "{o}/@a/2")],
      PublisherNames.rss(
        "M",
        """
        <item><guid isPermaLink="true">{o}/@a/1</guid><link>{o}/@a/1</link>
        <pubDate>Fri, 01 May 2026 10:00:00 +0000</pubDate><description>&lt;p&gt;A film of a fox that \
        crosses the street.&lt;/p&gt;</description><media:content url="{o}/media/1/original/a.mp4"
        type="video/mp4" fileSize="90000" medium="video"><media:rating
        scheme="urn:simple">nonadult</media:rating></media:content></item>
        <item><guid isPermaLink="true">{o}/@a/2</guid><link>{o}/@a/2</link><media:content
        url="{o}/media/2/original/a.png" type="image/png" medium="image"/></item>
        """)),
    PublisherFeed(
      "Lemmy, community", at: "/feeds/c/v.xml", "application/rss+xml",
      items: [.file("{o}/pictrs/image/a.mp4"), .announced("only a web page", page: "{o}/post/2")],
      PublisherNames.rss(
        "L",
        """
        <item><title>T</title><link>{o}/post/1</link><guid>{o}/post/1</guid><enclosure
        url="{o}/pictrs/image/a.mp4" length="0" type="video/mp4"/></item><item><title>U</title>
        <link>{o}/post/2</link><guid>{o}/post/2</guid><enclosure url="https://e.example/page"
        length="0" type="text/html"/></item>
        """)),
  ]

  private static let playlist = """
    <podcast:alternateEnclosure type="application/x-mpegURL" title="HLS"><podcast:source
    uri="{o}/static/streaming-playlists/hls/u/master.m3u8"/></podcast:alternateEnclosure>
    """

  private static func group(_ files: [(path: String, lines: Int)]) -> String {
    let contents = files.map { path, lines in
      """
      <media:content url="{o}/\(path)" fileSize="\(lines)000" type="video/mp4"
      framerate="30" height="\(lines)" \(lines == files[0].lines ? #"isDefault="true""# : "")/>
      """
    }
    return "<media:group>\(contents.joined())</media:group>"
  }

  private static func peerTube(_ media: String) -> String {
    PublisherNames.rss(
      "P",
      """
      <item><title>T</title><link>{o}/w/1</link><guid>{o}/w/1</guid>
      <pubDate>Fri, 01 May 2026 10:00:00 GMT</pubDate><itunes:duration>61</itunes:duration>\(media)
      <media:thumbnail url="{o}/t.jpg" height="480" width="850"/></item>
      """)
  }
}
