import Testing

@testable import Streams

/// A DASH manifest becomes the same lists as playlists do.
struct ManifestTests {
  private static let address = "https://h.org/film/m.mpd"

  private func source(
    _ text: String, _ change: (inout StreamWishes) -> Void = { _ in }
  ) throws(StreamError) -> StreamSource {
    var wishes = StreamWishes()
    change(&wishes)
    return try Manifest(Array(text.utf8), at: Self.address).source(wishes)
  }

  /// A manifest of one set, whose segments are as `segments` says.
  private func track(_ segments: String, duration: String = "PT20S") throws(StreamError)
    -> TrackSource
  {
    let source = try source(
      """
      <MPD type="static" mediaPresentationDuration="\(duration)"><Period>
      <AdaptationSet contentType="video" mimeType="video/mp4" codecs="avc1.64001f">
      <Representation id="v1" bandwidth="800000" width="640" height="360">\(segments)</Representation>
      </AdaptationSet></Period></MPD>
      """)
    return source.tracks[0]
  }

  /// As shaka's on-demand profile and YouTube's are.
  private static let onDemand = """
    <?xml version="1.0" encoding="UTF-8"?>
    <MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT120.04S">
      <BaseURL>media/</BaseURL>
      <Period id="0">
        <AdaptationSet id="0" contentType="video" maxWidth="1920" subsegmentAlignment="true">
          <Representation id="0" bandwidth="900000" codecs="avc1.64001e" mimeType="video/mp4" width="640" height="360">
            <BaseURL>v360.mp4</BaseURL>
            <SegmentBase indexRange="869-1244" timescale="12800"><Initialization range="0-868"/></SegmentBase>
          </Representation>
          <Representation id="1" bandwidth="5000000" codecs="avc1.640028" mimeType="video/mp4" width="1920" height="1080">
            <BaseURL>v1080.mp4</BaseURL>
            <SegmentBase indexRange="871-1246" timescale="12800"><Initialization range="0-870"/></SegmentBase>
          </Representation>
        </AdaptationSet>
        <AdaptationSet id="1" contentType="video">
          <EssentialProperty schemeIdUri="http://dashif.org/guidelines/trickmode" value="0"/>
          <Representation id="t" bandwidth="9000000" codecs="avc1.640028" mimeType="video/mp4" height="2160"><BaseURL>t.mp4</BaseURL></Representation>
        </AdaptationSet>
        <AdaptationSet id="2" contentType="audio" lang="en"><Role schemeIdUri="urn:mpeg:dash:role:2011" value="main"/>
          <Representation id="2" bandwidth="64000" codecs="mp4a.40.2" mimeType="audio/mp4"><BaseURL>a64.mp4</BaseURL><SegmentBase indexRange="700-800"><Initialization range="0-699"/></SegmentBase></Representation>
          <Representation id="3" bandwidth="128000" codecs="mp4a.40.2" mimeType="audio/mp4"><BaseURL>a128.mp4</BaseURL><SegmentBase indexRange="700-800"><Initialization range="0-699"/></SegmentBase></Representation>
        </AdaptationSet>
        <AdaptationSet id="3" contentType="audio" lang="de">
          <Representation id="4" bandwidth="256000" codecs="mp4a.40.2" mimeType="audio/mp4"><BaseURL>de.mp4</BaseURL></Representation>
        </AdaptationSet>
        <AdaptationSet id="4" contentType="audio" lang="en"><Role value="commentary"/>
          <Representation id="5" bandwidth="999000" codecs="mp4a.40.2" mimeType="audio/mp4"><BaseURL>c.mp4</BaseURL></Representation>
        </AdaptationSet>
        <AdaptationSet id="5" contentType="text" lang="de" mimeType="text/vtt"><Role value="subtitle"/>
          <Representation id="6" bandwidth="100"><BaseURL>de.vtt</BaseURL></Representation>
        </AdaptationSet>
      </Period>
    </MPD>
    """

  @Test func aFileWithItsIndexIsNamed() throws {
    let source = try source(Self.onDemand)
    #expect(source.tracks.map(\.contents) == [.picture, .sound])
    #expect(source.tracks[0].addresses == ["https://h.org/film/media/v1080.mp4"])
    #expect(source.tracks[0].division == .file(index: 871..<1247, length: nil))
    #expect(source.tracks[0].initializations == [StreamPart(address: 0, bytes: 0..<871)])
    #expect(source.tracks[0].container == .mp4 && source.tracks[0].height == 1080)
    #expect(source.tracks[1].addresses == ["https://h.org/film/media/a128.mp4"])
    #expect(source.duration == .milliseconds(120_040))
    #expect(
      source.reason
        == "1080p h264, 5.0 Mbit/s of 2 representations; sound: en, the stream's default of 3")
    #expect(source.texts.map(\.place) == [.file("https://h.org/film/media/de.vtt")])
    #expect(source.texts.map(\.language) == ["de"])
  }

  @Test func theUsersWishesDecide() throws {
    let german = try source(Self.onDemand) {
      $0.languages = ["de"]
      $0.maxHeight = 720
    }
    #expect(
      german.tracks.map(\.addresses) == [
        ["https://h.org/film/media/v360.mp4"], ["https://h.org/film/media/de.mp4"],
      ])
    let sound = try source(Self.onDemand) { $0.soundOnly = true }
    #expect(sound.tracks.map(\.contents) == [.sound])
  }

  @Test func aTimelineGivesTimesAndRepeats() throws {
    // As ffmpeg and GPAC write it.
    let track = try track(
      """
      <SegmentTemplate timescale="1000" initialization="i-$RepresentationID$.m4s"
        media="c-$RepresentationID$-$Number%05d$.m4s" startNumber="3" presentationTimeOffset="500">
      <SegmentTimeline><S t="500" d="4000" r="1"/><S d="6000"/><S d="3000" r="-1"/></SegmentTimeline>
      </SegmentTemplate>
      """)
    #expect(track.addresses.first == "https://h.org/film/i-v1.m4s")
    #expect(track.addresses[1] == "https://h.org/film/c-v1-00003.m4s")
    #expect(
      track.segments.map(\.start) == [0, 4, 8, 14, 17].map { Duration.seconds($0) })
    #expect(track.segments.map(\.duration) == [4, 4, 6, 3, 3].map { Duration.seconds($0) })
    #expect(track.sections == [StreamSection(start: .zero, mediaStart: .milliseconds(500))])
    #expect(track.oneMore == nil && !track.hasNominalDurations)
    #expect(track.segments.allSatisfy { $0.initialization == 0 })
  }

  @Test func aRepeatEndsWhereTheNextRowBegins() throws {
    let track = try track(
      """
      <SegmentTemplate timescale="10" media="$Time$.m4s">
      <SegmentTimeline><S t="0" d="20" r="-1"/><S t="60" d="50"/></SegmentTimeline></SegmentTemplate>
      """)
    #expect(
      track.addresses == ["0", "20", "40", "60"].map { "https://h.org/film/\($0).m4s" })
  }

  @Test func byNumberAloneOneMoreSegmentMayBeThere() throws {
    // As Bento4 and ffmpeg without a timeline write it.
    let track = try track(
      """
      <SegmentTemplate timescale="1000" duration="6000" media="$Bandwidth$/$Number$.m4s?a=$$" startNumber="0"/>
      """)
    #expect(
      track.addresses == (0...4).map { "https://h.org/film/800000/\($0).m4s?a=$" })
    #expect(track.segments.map(\.duration) == [6, 6, 6, 2].map { Duration.seconds($0) })
    #expect(track.oneMore?.part == StreamPart(address: 4))
    #expect(track.hasNominalDurations)
    let exact = try self.track(
      "<SegmentTemplate duration=\"5\" endNumber=\"4\" media=\"$Number$\"/>")
    #expect(exact.segments.count == 4 && exact.oneMore == nil)
    // 20.0004 s are a rounding of 20.
    let rounded = try self.track(
      "<SegmentTemplate timescale=\"1000\" duration=\"5000\" media=\"$Number$\"/>",
      duration: "PT20.0004S")
    #expect(rounded.segments.count == 4 && rounded.oneMore != nil)
  }

  @Test func aListHasAddressesOrRanges() throws {
    // As ffmpeg's single_file is.
    let ranges = try track(
      """
      <BaseURL>v.mp4</BaseURL><SegmentList timescale="1000" duration="7050" startNumber="1">
      <Initialization range="0-850"/><SegmentURL mediaRange="851-2000" indexRange="851-900"/>
      <SegmentURL mediaRange="2001-3000"/><SegmentURL mediaRange="3001-3500"/></SegmentList>
      """)
    #expect(ranges.addresses == ["https://h.org/film/v.mp4"])
    #expect(ranges.segments.map(\.part.bytes) == [851..<2001, 2001..<3001, 3001..<3501])
    #expect(ranges.hasNominalDurations)
    let files = try track(
      """
      <SegmentList timescale="10"><SegmentTimeline><S t="0" d="40" r="2"/></SegmentTimeline>
      <Initialization sourceURL="i.mp4"/><SegmentURL media="1.m4s"/><SegmentURL media="2.m4s"/></SegmentList>
      """)
    #expect(files.segments.map(\.start) == [.zero, .seconds(4)] && !files.hasNominalDurations)
    #expect(files.addresses.last == "https://h.org/film/2.m4s")
  }

  @Test func lowerLevelsOverrideHigherOnes() throws {
    let source = try source(
      """
      <MPD mediaPresentationDuration="PT8S"><BaseURL>https://cdn.org/a/</BaseURL><Period>
      <BaseURL>b/</BaseURL><SegmentTemplate timescale="2" duration="8" media="p$Number$"/>
      <AdaptationSet mimeType="audio/webm" codecs="opus"><BaseURL>c/</BaseURL>
      <SegmentTemplate startNumber="7"/>
      <Representation id="x"><BaseURL>d/</BaseURL><SegmentTemplate media="r$Number$"/></Representation>
      </AdaptationSet></Period></MPD>
      """)
    #expect(
      source.tracks[0].addresses.prefix(2) == [
        "https://cdn.org/a/b/c/d/r7", "https://cdn.org/a/b/c/d/r8",
      ])
    #expect(source.tracks[0].container == .webM)
  }

  @Test func periodsFollowOneAnother() throws {
    func period(_ attributes: String, _ base: String, _ offset: Int, id: String = "v") -> String {
      """
      <Period \(attributes)><BaseURL>\(base)/</BaseURL><AdaptationSet contentType="video" mimeType="video/mp4">
      <Representation id="\(id)" codecs="avc1.64001f" height="360" bandwidth="1">
      <SegmentTemplate timescale="10" presentationTimeOffset="\(offset)" initialization="i" media="$Time$">
      <SegmentTimeline><S t="\(offset)" d="50" r="1"/></SegmentTimeline></SegmentTemplate>
      </Representation></AdaptationSet></Period>
      """
    }
    let text = { (second: String) in
      "<MPD mediaPresentationDuration=\"PT20S\">\(period("duration=\"PT10S\"", "a", 0))\(second)</MPD>"
    }
    let track = try source(text(period("", "b", 300))).tracks[0]
    #expect(track.segments.map(\.start) == [0, 5, 10, 15].map { Duration.seconds($0) })
    #expect(track.segments.map(\.section) == [0, 0, 1, 1])
    #expect(track.segments.map(\.initialization) == [0, 0, 1, 1])
    #expect(track.sections.map(\.mediaStart) == [.zero, .seconds(30)])
    #expect(track.addresses.last == "https://h.org/film/b/350")
    let other = period("", "b", 300).replacing("avc1.64001f", with: "hvc1.1")
    #expect(throws: StreamError.self) { try source(text(other)) }
  }

  @Test func whatIsProtectedIsRefusedByName() {
    let text = Self.onDemand.replacing(
      "<BaseURL>v360",
      with:
        "<ContentProtection schemeIdUri=\"urn:uuid:EDEF8BA9-79D6-4ACE-A3C8-27DCD51D21ED\"/><BaseURL>v360"
    )
    // One that is protected among clear ones is left out.
    #expect((try? source(text))?.tracks[0].height == 1080)
    let all = text.replacing(
      "<Period id=\"0\">",
      with:
        "<Period><ContentProtection schemeIdUri=\"urn:uuid:9a04f079-9840-4286-ab92-e65be0885f95\"/>"
    )
    #expect(throws: StreamError.self) { try source(all) }
    let error = #expect(throws: StreamError.self) { try source(all) }
    guard case .unsupported(let reason)? = error else { return }
    #expect(reason.contains("PlayReady"))
  }

  /// Packagers leave sound clear where only the picture is worth a licence.
  @Test(arguments: ["video", "audio"])
  func aFilmOfWhichTheOtherHalfIsProtectedIsRefused(kind: String) throws {
    let mark = "<ContentProtection schemeIdUri=\"urn:mpeg:dash:mp4protection:2011\"/>"
    let pieces = Self.onDemand.split(separator: "<AdaptationSet", omittingEmptySubsequences: false)
    let text = pieces.map { piece in
      guard piece.contains("contentType=\"\(kind)\""), let end = piece.firstIndex(of: ">") else {
        return String(piece)
      }
      return piece[...end] + mark + piece[piece.index(after: end)...]
    }.joined(separator: "<AdaptationSet")
    let error = #expect(throws: StreamError.self) { try source(text) }
    #expect("\(String(describing: error))".contains("the stream is protected by"))
    guard kind == "video" else { return }
    // Whoever wants the sound alone has it.
    #expect(try source(text) { $0.soundOnly = true }.tracks.map(\.contents) == [.sound])
  }

  @Test(arguments: [
    "<html/>", "<MPD/>", "<MPD><Period/></MPD>",
    "<MPD><Period href=\"x\"><AdaptationSet/></Period></MPD>",
  ])
  func whatHasNoMediaIsAnError(text: String) {
    #expect(throws: StreamError.self) { try source(text) }
  }

  @Test func aLiveManifestIsLookedAtAgain() {
    let live = Self.onDemand.replacing("type=\"static\"", with: "type=\"dynamic\"")
    #expect(throws: StreamError.unfinished("the stream is still live; try again when it has ended"))
    { try source(live) }
  }

  /// ISO 23009-1 §5.3.1.2: packagers leave the word "dynamic" in the manifest of an event that is over.
  @Test(
    arguments: [
      ("availabilityStartTime=\"1970-01-01T01:00:00Z\" mediaPresentationDuration=\"PT10S\"", 3670),
      (
        "minimumUpdatePeriod=\"PT500S\" availabilityStartTime=\"1970-01-01T01:00:00\""
          + " mediaPresentationDuration=\"PT10S\"", 4110
      ),
      ("mediaPresentationDuration=\"PT10S\"", .max), ("", .max),
      (
        "availabilityStartTime=\"1970-01-01T01:00:00Z\" mediaPresentationDuration=\"PT10S\""
          + " timeShiftBufferDepth=\"PT5S\"", .max
      ),
      ("availabilityStartTime=\"1970-01-01T01:00:00Z\"", .max),
      ("availabilityStartTime=\"later\" mediaPresentationDuration=\"PT10S\"", .max),
    ] as [(String, Int)])
  func anEventThatIsOverIsNoLongerLive(attributes: String, end: Int) throws {
    let template =
      "<SegmentTemplate duration=\"5\" media=\"$Number$.m4s\" initialization=\"i.mp4\"/>"
    let text = """
      <MPD type="dynamic" \(attributes)><Period><AdaptationSet mimeType="video/mp4">\(template)\
      <Representation id="1" bandwidth="1" codecs="avc1.42c00d"/></AdaptationSet></Period></MPD>
      """
    #expect(throws: StreamError.unfinished(StreamSource.live)) {
      try Manifest(Array(text.utf8), at: "https://h.org/m.mpd", now: end == .max ? end : end - 1)
    }
    guard end < .max else { return }
    let source = try Manifest(Array(text.utf8), at: "https://h.org/m.mpd", now: end)
      .source(StreamWishes())
    #expect(source.tracks.first?.segments.count == 2)
  }

  @Test(arguments: [
    "<SegmentTemplate media=\"$Number$\"/>", "<SegmentTemplate duration=\"5\"/>",
    "<SegmentTemplate duration=\"0\" media=\"$Number$\"/>",
    "<SegmentTemplate timescale=\"0\" duration=\"1\" media=\"$Number$\"/>",
    "<SegmentTemplate timescale=\"1000000\" duration=\"1\" media=\"$Number$\"/>",
    "<SegmentTemplate duration=\"5\" media=\"$Number%99999d$\"/>",
    "<SegmentTemplate duration=\"5\" media=\"$Number\"/>",
    "<SegmentTemplate duration=\"5\" media=\"$SubNumber$\"/>",
    "<SegmentTemplate duration=\"1099511627776\" endNumber=\"9007199254740993\" media=\"$Number$\"/>",
    "<SegmentTemplate duration=\"9223372036854775807\" media=\"$Number$\"/>",
    "<SegmentTemplate media=\"$Time$\"><SegmentTimeline><S d=\"1\" r=\"9223372036854775807\"/></SegmentTimeline></SegmentTemplate>",
    "<SegmentTemplate media=\"$Time$\"><SegmentTimeline><S d=\"1\" r=\"1000000\"/></SegmentTimeline></SegmentTemplate>",
    "<SegmentTemplate media=\"$Time$\"><SegmentTimeline><S t=\"288230376151711744\" d=\"288230376151711744\" r=\"99\"/></SegmentTimeline></SegmentTemplate>",
    "<SegmentTemplate media=\"$Time$\"><SegmentTimeline><S d=\"0\"/></SegmentTimeline></SegmentTemplate>",
    "<SegmentTemplate media=\"$Time$\"><SegmentTimeline><S d=\"-4\"/></SegmentTimeline></SegmentTemplate>",
    "<SegmentList duration=\"4\"/>",
    "<SegmentList duration=\"4\"><SegmentURL mediaRange=\"9-3\"/></SegmentList>",
    "<SegmentList duration=\"4\"><SegmentURL mediaRange=\"0-18446744073709551615\"/></SegmentList>",
    "<SegmentList duration=\"4\"><SegmentURL media=\"file:///etc/passwd\"/></SegmentList>",
    "<SegmentBase indexRange=\"x\"/>",
  ])
  func nonsenseIsAnError(segments: String) {
    #expect(throws: StreamError.self) { try track(segments) }
  }

  @Test(arguments: [
    ("PT1H2M3.5S", 3723.5), ("P1DT1S", 86_401), ("P0Y0M0DT0H3M30.000S", 210), ("PT0S", 0),
  ])
  func durationsAreRead(text: String, seconds: Double) {
    #expect(ManifestDuration.parse(text) == .seconds(seconds))
  }

  @Test(arguments: ["", "P", "1H", "PT", "PT1", "PT-1S", "PT99999999999999999999S", "PT1X"])
  func otherTextsAreNoDurations(text: String) {
    let duration = ManifestDuration.parse(text)
    #expect(duration == nil || duration == .zero)
  }
}
