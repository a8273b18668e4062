import Testing

@testable import FeedReading

/// The videos that a web page plainly names.
@Suite(.timeLimit(.minutes(1)))
struct PageReaderTests {
  private static let address = "https://www.example/watch/1?a=b"

  private func read(_ html: String) -> (media: PageMedia, embed: String?) {
    PageReader.read(Array(html.utf8), at: Self.address)
  }

  @Test(arguments: [
    (#"<video src="https://v.example/1.mp4"></video>"#, ["https://v.example/1.mp4"]),
    (#"<video src='/1.mp4' controls>"#, ["https://www.example/1.mp4"]),
    (#"<VIDEO SRC=2.webm>"#, ["https://www.example/watch/2.webm"]),
    (#"<base href="/films/"><video src="3.mp4">"#, ["https://www.example/films/3.mp4"]),
    (
      #"<video><source src="a.mp4?x=1&amp;y=2" type="video/mp4"><source src="b.webm"></video>"#,
      ["https://www.example/watch/a.mp4?x=1&y=2", "https://www.example/watch/b.webm"]
    ),
    (#"<picture><source src="p.mp4"></picture>"#, []),
    (#"<!-- <video src="c.mp4"> --><script>"<video src='d.mp4'>"</script>"#, []),
    (#"<meta property="og:video" content="https://v.example/o.mp4">"#, ["https://v.example/o.mp4"]),
    (
      #"<meta name="twitter:player:stream" content="//v.example/t.mp4"><meta name="twitter:player" content="/p">"#,
      ["https://v.example/t.mp4"]
    ),
    (
      #"<meta property="og:video:url" content="https://p.example/embed/1"><meta property="og:video:type" content="text/html">"#,
      []
    ),
    (
      #"<meta property="og:video" content="/a.mp4"><meta property="og:video:secure_url" content="/a.mp4">"#,
      ["https://www.example/a.mp4"]
    ),
    (
      #"<span itemprop="video"><meta itemprop="contentUrl" content="/i.mp4">"#,
      ["https://www.example/i.mp4"]
    ),
    (
      #"<script type="application/ld+json">{"@graph":[{"@type":["VideoObject"],"contentUrl":"https:\/\/v.example\/j.mp4"}]}</script>"#,
      ["https://v.example/j.mp4"]
    ),
    (
      #"<script type="application/ld+json">{"@type":"NewsArticle","video":{"@type":"VideoObject","contentUrl":"/n.mp4"}}</script>"#,
      ["https://www.example/n.mp4"]
    ),
    (#"<script type="application/ld+json">{"@type":"Thing","contentUrl":"/n.mp4"}</script>"#, []),
    (#"<video src="javascript:alert(1)"><video src="file:///etc/passwd"><video src="">"#, []),
    (#"<video src="blob:https://www.example/1">"#, []), ("", []), ("just text", []),
  ])
  func aPageNamesItsVideos(html: String, urls: [String]) {
    #expect(read(html).media.formats.map(\.url) == urls)
  }

  @Test func aStreamIsNoFileAndSaysSo() {
    let media = read(#"<video src="/live.m3u8">"#).media
    #expect(media.formats.map(\.isStream) == [true])
    var choice = MediaChoice()
    choice.streams = false
    #expect(FormatChoice(choice).reason(for: media, isStream: nil).contains("HLS"))
  }

  @Test func whatElseThePageSaysIsTaken() throws {
    let media = read(
      #"""
      <script type="application/ld+json">{"@type": "VideoObject", "name": "A &amp; B", "duration": "PT1H2M3.5S",
        "thumbnailUrl": ["/c.jpg"], "contentUrl": "/1.mp4", "height": 720}</script>
      <video><source src="/2.mp4" size="1080"><source src="/3.mp4" label="360p"><source src="/4.mp4" res="1280x720">
      <track kind="captions" src="/w.vtt" srclang="de"><track kind="metadata" src="/m.vtt"></video>
      """#
    ).media
    #expect(media.title == "A & B" && media.duration == 3723.5)
    #expect(media.thumbnail == "https://www.example/c.jpg")
    #expect(media.formats.map(\.height) == [720, 1080, 360, 720])
    #expect(
      media.subtitles == [
        Subtitle(url: "https://www.example/w.vtt", type: "text/vtt", lang: "de")
      ])
    #expect(
      FormatChoice(MediaChoice()).ranked(media.formats).first?.url == "https://www.example/2.mp4")
  }

  @Test func aDocumentOfOEmbedIsFoundAndRead() {
    let page = read(
      #"<link rel="alternate" type="application/json+oembed" href="/oembed?url=1&amp;format=json">"#
    )
    #expect(page.media.formats.isEmpty)
    #expect(page.embed == "https://www.example/oembed?url=1&format=json")
    let document =
      #"{"type":"video","title":"T","html":"<video src=\"/e.mp4\"><\/video>","duration":9}"#
    let media = PageReader.read(embed: Array(document.utf8), at: Self.address)
    #expect(media.formats.map(\.url) == ["https://www.example/e.mp4"])
    #expect(media.title == "T" && media.duration == 9)
  }

  // MARK: Hostile

  @Test func aPageIsReadWhereverItIsCut() {
    let page = Array(
      #"<html><script type="application/ld+json">{"@type":"VideoObject","contentUrl":"/1.mp4"}</script><video><source src="/2.mp4"><track src="/w.vtt"></video><meta property="og:video" content="/3.mp4">"#
        .utf8)
    let whole = PageReader.read(page, at: Self.address).media.formats.map(\.url)
    #expect(whole.count == 3)
    for end in page.indices {
      let part = PageReader.read(Array(page[..<end]), at: Self.address).media.formats
      // An address that was cut is another one; no more than that.
      #expect(part.count <= 3)
    }
  }

  @Test func aHugePageIsReadInItsTime() {
    for part in [
      "<video src='/1.mp4'>", "<meta property='og:video' content='/1.mp4'>", "<source src='x'>",
      "<script type='application/ld+json'>[[[[[", "<video ", "<!-- ", "<track src='/w'>",
      "<script type='application/ld+json'>{\"a\":[{\"@type\":\"VideoObject\",\"contentUrl\":\"/2.mp4\"}]}</script>",
    ] {
      let page = Array(String(repeating: part, count: PageReader.limit / part.utf8.count).utf8)
      let media = PageReader.read(page, at: Self.address).media
      #expect(media.formats.count <= PageMedia.maxFormats)
      #expect(media.subtitles.count <= PageMedia.maxSubtitles)
    }
  }
}
