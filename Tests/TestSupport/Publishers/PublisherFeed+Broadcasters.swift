extension PublisherFeed {
  /// The platforms of newspapers and broadcasters, and the Internet Archive.
  static let broadcasters: [PublisherFeed] = [
    PublisherFeed(
      "Brightcove, MRSS", at: "/brightcove.xml", "application/rss+xml",
      items: [.file("{o}/manifest/v1/hls/1/master.m3u8")],
      item(
        """
        <media:group><media:content url="{o}/manifest/v1/hls/1/master.m3u8" medium="video"
        type="application/x-mpegURL" duration="61"/><media:content url="{o}/manifest/v1/dash/1.mpd"
        medium="video" type="application/dash+xml"/></media:group>
        """)),
    PublisherFeed(
      "Kaltura, MRSS", at: "/kaltura.xml", "application/rss+xml",
      items: [
        .file(
          "{o}/p/1/playManifest/flavorId/2/a.mp4", upTo720: "{o}/p/1/playManifest/a.m3u8")
      ],
      item(
        """
        <media:group><media:content url="{o}/p/1/playManifest/a.m3u8"/><media:content
        url="{o}/p/1/playManifest/flavorId/1/a.mp4" width="640" height="360" bitrate="600"/>
        <media:content url="{o}/p/1/playManifest/flavorId/2/a.mp4" width="1920" height="1080"
        bitrate="4000"/></media:group>
        """)),
    PublisherFeed(
      "JW Player, MRSS", at: "/v2/playlists/1?format=mrss", "application/rss+xml",
      items: [.file("{o}/videos/1-1920.mp4", upTo720: "{o}/videos/1-1280.mp4")],
      item(
        """
        <media:group><media:content url="{o}/manifests/1.m3u8" medium="video"
        type="application/vnd.apple.mpegurl"/><media:content url="{o}/videos/1-640.mp4" width="640"
        height="360" medium="video" type="video/mp4" duration="61" fileSize="9"/><media:content
        url="{o}/videos/1-1920.mp4" width="1920" height="1080" medium="video" type="video/mp4"/>
        <media:content url="{o}/videos/1-1280.mp4" width="1280" height="720" medium="video"
        type="video/mp4"/><media:content url="{o}/videos/1.m4a" medium="audio" type="audio/mp4"/>
        <media:thumbnail url="{o}/v2/media/1/poster.jpg" width="720"/></media:group>
        """)),
    PublisherFeed(
      "JW Player, JSON", at: "/v2/media/1", "application/json",
      items: [.file("{o}/videos/1-1920.mp4", upTo720: "{o}/manifests/1.m3u8")],
      #"""
      {"title": "P", "kind": "Single Item", "playlist": [{"title": "T", "mediaid": "1", "duration": 61,
      "link": "{o}/previews/1", "image": "{o}/v2/media/1/poster.jpg", "pubdate": 1777629600, "sources":
      [{"file": "{o}/manifests/1.m3u8", "type": "application/vnd.apple.mpegurl"},
      {"file": "{o}/videos/1-640.mp4", "type": "video/mp4", "height": 360, "label": "360p"},
      {"file": "{o}/videos/1-1920.mp4", "type": "video/mp4", "height": 1080, "label": "1080p"}],
      "tracks": [{"file": "{o}/tracks/1.vtt", "kind": "captions", "label": "English", "language": "en"},
      {"file": "{o}/strips/1.vtt", "kind": "thumbnails"}]}]}
      """#),
    PublisherFeed(
      "Arc, MRSS (El País)", at: "/arc/outboundfeeds/mrss", "application/xml",
      items: [.file("{o}/2026/a_1080.mp4", upTo720: "{o}/2026/a_480.mp4")],
      item(
        """
        <media:group><media:content url="{o}/2026/a_480.mp4" fileSize="19000000" duration="211200"
        bitrate="900" height="480" width="854" medium="video" type="video/mp4"/><media:content
        url="{o}/2026/a_1080.mp4" fileSize="119000000" duration="211200" bitrate="4500" height="1080"
        width="1920" medium="video" type="video/mp4"/></media:group>
        """)),
    PublisherFeed(
      "Vidio of long ago, two films in an item", at: "/mrss/two.xml", "application/rss+xml",
      items: [.file("{o}/a.mp4")],
      item(#"<media:content url="{o}/a.mp4" type="video/mp4"/>"#)),
    PublisherFeed(
      "Internet Archive, a collection", at: "/services/collection-rss.php?collection=c",
      "application/rss+xml", items: [.told("only a torrent", page: "{o}/details/a")],
      PublisherNames.rss(
        "I",
        """
        <item><title>A</title><link>{o}/details/a</link><guid>{o}/details/a</guid>
        <pubDate>Fri, 01 May 2026 10:00:00 GMT</pubDate><enclosure type="application/x-bittorrent"
        url="{o}/download/a/a_archive.torrent" length="9"/></item>
        """)),
    PublisherFeed(
      "Internet Archive, the files of an item", at: "/download/a/", "text/html",
      items: [
        .file("{o}/download/a/film.mp4"), .file("{o}/download/a/film_512kb.mp4"),
        .file("{o}/download/a/film.ogv"),
      ],
      """
      <!DOCTYPE html><html><head><title>a directory listing</title></head><body>
      <h1>Files for a</h1><pre>
      <a href="/details/a">Go to parent directory</a>
      <a href="__ia_thumb.jpg">__ia_thumb.jpg</a>   01-May-2026 10:00   9.0K
      <a href="film.mp4">film.mp4</a>   01-May-2026 10:00   61.0M
      <a href="film_512kb.mp4">film_512kb.mp4</a>   01-May-2026 10:00   21.0M
      <a href="film.ogv">film.ogv</a>   01-May-2026 10:00   31.0M
      <a href="a_archive.torrent">a_archive.torrent</a>   01-May-2026 10:00   3.0K
      </pre></body></html>
      """),
  ]

  private static func item(_ media: String) -> String {
    PublisherNames.rss(
      "B",
      """
      <item><title>T</title><link>{o}/1</link><guid isPermaLink="false">1</guid>
      <pubDate>Fri, 01 May 2026 10:00:00 GMT</pubDate>\(media)</item>
      """)
  }
}
