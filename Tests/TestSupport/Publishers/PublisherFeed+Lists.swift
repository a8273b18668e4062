extension PublisherFeed {
  /// Playlists and lists of feeds.
  static let lists: [PublisherFeed] = [
    PublisherFeed(
      "IPTV, M3U", at: "/get.php?type=m3u_plus", "audio/x-mpegurl",
      items: [
        .told("a live stream"), .told("a live stream"), .told("udp:"), .told("rtsp:"),
        .told("a live stream"), .file("{o}/movie/u/p/1001.mkv"), .file("{o}/series/u/p/1.mp4"),
      ],
      """
      #EXTM3U x-tvg-url="http://e.example/x.xml"
      #EXTINF:-1 tvg-id="a" tvg-logo="{o}/l.png" group-title="News",One, HD
      {o}/live/one/index.m3u8
      #EXTINF:-1,Raw TS
      {o}/live/raw.ts
      #EXTINF:-1,Multicast
      udp://@239.0.0.1:1234
      #EXTINF:-1,Camera
      rtsp://cam.example/1
      #EXTINF:-1 tvg-name="Four",Four
      {o}/u/p/1002
      #EXTINF:-1 tvg-name="Film" group-title="VOD",Film (2026)
      {o}/movie/u/p/1001.mkv
      #EXTINF:-1,Series S01E01
      {o}/series/u/p/1.mp4
      """),
    PublisherFeed(
      "Jellyfin, M3U", at: "/jellyfin.m3u", "audio/x-mpegurl",
      items: [
        .file("{o}/Videos/0a1b/stream?static=true"), .file("{o}/Items/0a1c/Download?api_key=k"),
      ],
      """
      #EXTM3U
      #EXTINF:5400,A film
      {o}/Videos/0a1b/stream?static=true
      #EXTINF:61,Another
      {o}/Items/0a1c/Download?api_key=k
      """),
    PublisherFeed(
      "TVHeadend, recordings", at: "/playlist/recordings", "audio/x-mpegurl",
      items: [.file("{o}/dvrfile/0123456789abcdef?ticket=1")],
      """
      #EXTM3U
      #EXTINF:3600,News
      {o}/dvrfile/0123456789abcdef?ticket=1
      """),
    PublisherFeed(
      "Addresses, one a line", at: "/bare.txt", "text/plain",
      items: [.file("{o}/a.mp4"), .file("{o}/s/T/download?files=a.mp4")],
      """
      # mine
      {o}/a.mp4
      {o}/s/T/download?files=a.mp4
      """),
    PublisherFeed(
      "VLC, XSPF", at: "/list.xspf", "application/xspf+xml",
      items: [.told("file:"), .file("{o}/b.mp4?a=1&b=2"), .file("{o}/play/3")],
      """
      <?xml version="1.0" encoding="UTF-8"?><playlist xmlns="http://xspf.org/ns/0/" version="1"
      xmlns:vlc="http://www.videolan.org/vlc/playlist/ns/0/"><title>P</title><trackList><track>
      <location>file:///home/u/a.mp4</location><duration>1000</duration></track>
      <track><location>{o}/b.mp4?a=1&amp;b=2</location><title>B</title></track>
      <track><location>{o}/play/3</location><title>C</title><duration>61000</duration></track>
      </trackList></playlist>
      """),
    PublisherFeed(
      "JSON Feed, one video in two forms", at: "/feed.json", "application/feed+json",
      items: [.file("{o}/a-1080.mp4", upTo720: "{o}/a-720.mp4")],
      #"""
      {"version": "https://jsonfeed.org/version/1.1", "title": "J", "items": [{"id": 1, "title": "T",
      "attachments": [{"url": "{o}/a-720.mp4", "mime_type": "video/mp4", "title": "T"},
      {"url": "{o}/a-1080.mp4", "mime_type": "video/mp4", "title": "T"}]}]}
      """#),
    PublisherFeed(
      "Atom, an enclosure without a type", at: "/atom.xml", "application/atom+xml",
      items: [.file("{o}/play/123"), .told("only a file that is neither video nor audio")],
      """
      <feed xmlns="http://www.w3.org/2005/Atom"><id>f</id><title>A</title><entry><id>1</id>
      <title>T</title><updated>2026-05-01T10:00:00Z</updated><link rel="enclosure" href="{o}/play/123"/>
      </entry><entry><id>2</id><title>U</title><updated>2026-05-01T10:00:00Z</updated><link
      rel="enclosure" href="{o}/slides.pdf" type="application/pdf"/></entry></feed>
      """),
    PublisherFeed(
      "RSS, an enclosure of any bytes", at: "/any.xml", "application/rss+xml",
      items: [.file("{o}/play/456"), .file("{o}/play.php?id=7")],
      PublisherNames.rss(
        "R",
        """
        <item><guid>1</guid><title>T</title><enclosure url="{o}/play/456" length="900000"
        type="application/octet-stream"/></item><item><guid>2</guid><title>U</title><enclosure
        url="{o}/play.php?id=7"/></item>
        """)),
    PublisherFeed(
      "Own JSON, a list of samples", at: "/samples.json", "application/json",
      items: [.file("{o}/one.mp4"), .file("{o}/two.mp4", upTo720: "{o}/two.webm")],
      #"""
      {"title": "Catalog", "samples": [{"name": "One", "uri": "one.mp4", "duration": "1:01"},
      {"title": "Two", "sources": [{"src": "two.webm", "height": 480}, {"src": "two.mp4",
      "height": 1080}], "id": 2}]}
      """#),
    PublisherFeed(
      "HLS as a feed", at: "/hls/film/master.m3u8", "application/vnd.apple.mpegurl",
      items: [.file("{o}/hls/film/master.m3u8")],
      "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8\n"),
    PublisherFeed(
      "DASH as a feed", at: "/dash/film.mpd", "application/dash+xml",
      items: [.file("{o}/dash/film.mpd")],
      #"<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static"><Period/></MPD>"#
    ),
    PublisherFeed(
      "OPML, a subscription list", at: "/subs.opml", "text/x-opml",
      items: [.told("feed"), .told("feed")],
      """
      <?xml version="1.0"?><opml version="2.0"><head><title>Mine</title></head><body>
      <outline text="Talks"><outline type="rss" text="A" xmlUrl="{o}/a.xml"/></outline>
      <outline type="rss" text="B" xmlUrl="{o}/b.xml"/></body></opml>
      """),
  ]

  /// Documents that are no feed. The error says what they look like.
  static let refused: [PublisherFeed] = [
    no(
      "S3, a bucket", "application/xml", "<listbucketresult>",
      #"<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name></ListBucketResult>"#
    ),
    no(
      "Azure, a container", "application/xml", "<enumerationresults>",
      #"<?xml version="1.0"?><EnumerationResults ContainerName="c"><Blobs/></EnumerationResults>"#),
    no(
      "WebDAV without HTML", "application/xml", "<multistatus>",
      #"<?xml version="1.0"?><d:multistatus xmlns:d="DAV:"><d:response/></d:multistatus>"#),
    no(
      "Plex, XML", "application/xml", "<mediacontainer>",
      #"<?xml version="1.0"?><MediaContainer size="1"><Video title="T"/></MediaContainer>"#),
    no(
      "Internet Archive, metadata", "application/json", "a JSON document",
      #"{"files": [{"name": "a.mp4", "format": "h.264", "size": "9", "length": "61"}]}"#),
    no(
      "Jellyfin, JSON", "application/json", "a JSON document",
      #"{"Items": [{"Name": "A", "Id": "1", "Type": "Movie"}], "TotalRecordCount": 1}"#),
  ]

  private static func no(
    _ name: String, _ type: String, _ looksLike: String, _ document: String
  ) -> PublisherFeed {
    PublisherFeed(
      name, at: "/no/\(name.filter { $0.isLetter })", type, items: [], refusal: looksLike, document)
  }
}
