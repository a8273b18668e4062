import Testing

@testable import Streams

/// The best variant up to the user's height is played, with one sound.
struct PlaylistChoiceTests {
  /// A master playlist in the shape of Apple's examples: three sounds for each picture.
  private static let apple = """
    #EXTM3U
    #EXT-X-INDEPENDENT-SEGMENTS
    #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a1",NAME="English",LANGUAGE="en-US",AUTOSELECT=YES,DEFAULT=YES,CHANNELS="2",URI="a1/en.m3u8"
    #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a1",NAME="Deutsch",LANGUAGE="de",AUTOSELECT=YES,CHANNELS="2",URI="a1/de.m3u8"
    #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a1",NAME="Deutsch (AD)",LANGUAGE="de",CHARACTERISTICS="public.accessibility.describes-video",URI="a1/dead.m3u8"
    #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a2",NAME="English",LANGUAGE="en-US",AUTOSELECT=YES,DEFAULT=YES,CHANNELS="6",URI="a2/en.m3u8"
    #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="English",LANGUAGE="en",AUTOSELECT=YES,DEFAULT=YES,FORCED=NO,URI="s/en.m3u8"
    #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="Deutsch",LANGUAGE="de",FORCED=YES,URI="s/de.m3u8"
    #EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="cc",NAME="English",INSTREAM-ID="CC1"
    #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=100000,CODECS="avc1.64001f",RESOLUTION=1920x1080,URI="i.m3u8"
    #EXT-X-STREAM-INF:BANDWIDTH=2000000,AVERAGE-BANDWIDTH=1800000,CODECS="avc1.640020,mp4a.40.2",RESOLUTION=1280x720,FRAME-RATE=25,AUDIO="a1",SUBTITLES="s",CLOSED-CAPTIONS="cc"
    v720.m3u8
    #EXT-X-STREAM-INF:BANDWIDTH=5200000,CODECS="avc1.640028,mp4a.40.2",RESOLUTION=1920x1080,AUDIO="a1",SUBTITLES="s"
    v1080.m3u8
    #EXT-X-STREAM-INF:BANDWIDTH=5600000,CODECS="avc1.640028,ec-3",RESOLUTION=1920x1080,AUDIO="a2",SUBTITLES="s"
    v1080s.m3u8
    #EXT-X-STREAM-INF:BANDWIDTH=9000000,CODECS="hvc1.2.4.L150.B0,mp4a.40.2",VIDEO-RANGE=PQ,RESOLUTION=1920x1080,AUDIO="a1"
    hdr.m3u8
    #EXT-X-STREAM-INF:BANDWIDTH=9000000,CODECS="dvh1.05.06,mp4a.40.2",VIDEO-RANGE=PQ,RESOLUTION=3840x2160,AUDIO="a1"
    dolby.m3u8
    """

  private func choice(
    _ text: String, _ change: (inout StreamWishes) -> Void = { _ in }
  ) throws(StreamError) -> PlaylistChoice {
    var wishes = StreamWishes()
    change(&wishes)
    let master = try MasterPlaylist(Array(text.utf8), at: "https://h.org/m.m3u8")
    return try PlaylistChoice(master, wishes)
  }

  @Test func theTallestThatPlaysIsTakenWithTheDefaultSound() throws {
    let choice = try choice(Self.apple)
    #expect(choice.picture == "https://h.org/v1080.m3u8")
    #expect(choice.sound == "https://h.org/a1/en.m3u8")
    #expect(
      choice.reason
        == "1080p h264 + aac, 5.2 Mbit/s of 5 variants; sound: en-US, the stream's default of 3")
  }

  @Test func theUsersHeightIsTheLimit() throws {
    #expect(try choice(Self.apple) { $0.maxHeight = 720 }.picture == "https://h.org/v720.m3u8")
    #expect(try choice(Self.apple) { $0.maxHeight = 1000 }.picture == "https://h.org/v720.m3u8")
    // Too tall is better than nothing, and little too tall better than much.
    #expect(try choice(Self.apple) { $0.maxHeight = 240 }.picture == "https://h.org/v720.m3u8")
  }

  @Test func theUsersCodecsDecideBetweenEqualHeights() throws {
    let choice = try choice(Self.apple) { $0.codecs = ["h264", "eac3"] }
    #expect(choice.picture == "https://h.org/v1080s.m3u8")
    #expect(choice.sound == "https://h.org/a2/en.m3u8")
  }

  @Test func theUsersLanguageComesBeforeTheDefault() throws {
    let german = try choice(Self.apple) { $0.languages = ["de-CH", "en"] }
    #expect(german.sound == "https://h.org/a1/de.m3u8")
    #expect(german.reason.hasSuffix("sound: de, the best of 3 for --languages"))
    #expect(german.texts.map(\.language) == ["de", "en"])
    #expect(german.texts.map(\.isForced) == [true, false])
    #expect(german.texts.map(\.place).first == .playlist("https://h.org/s/de.m3u8"))
    for code in ["ger", "deu", "DE"] {
      #expect(try choice(Self.apple) { $0.languages = [code] }.sound == german.sound)
    }
    let coded = Self.apple.replacing("LANGUAGE=\"de\"", with: "LANGUAGE=\"deu\"")
    #expect(try choice(coded) { $0.languages = ["ger"] }.sound == german.sound)
    #expect(
      try choice(Self.apple) { $0.languages = ["fr"] }.sound == "https://h.org/a1/en.m3u8")
  }

  @Test func theChoiceStaysWhenItWasPlayed() throws {
    let before = try choice(Self.apple) { $0.maxHeight = 720 }
    let after = try choice(Self.apple) { $0.before = before.name }
    #expect(after.picture == before.picture && after.name == before.name)
  }

  @Test func aChoiceHasTheSameNameWithOtherTokens() throws {
    let tokens = Self.apple.replacing(".m3u8", with: ".m3u8?token=1")
    #expect(try choice(tokens).name == choice(Self.apple).name)
  }

  @Test func withoutCodecsTheVariantIsTakenAsItIs() throws {
    // As ffmpeg 5 writes it.
    let text = """
      #EXTM3U
      #EXT-X-VERSION:7
      #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="group_aud",NAME="audio_1",DEFAULT=YES,URI="a.m3u8"
      #EXT-X-STREAM-INF:BANDWIDTH=1000,RESOLUTION=640x360,AUDIO="group_aud"
      v.m3u8
      """
    let choice = try choice(text)
    #expect(choice.picture == "https://h.org/v.m3u8" && choice.sound == "https://h.org/a.m3u8")
    let plain = try self.choice("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8")
    #expect(plain.picture == "https://h.org/v.m3u8" && plain.sound == nil)
  }

  @Test func soundWithoutAnAddressIsInTheSegmentsOfThePicture() throws {
    let text = """
      #EXTM3U
      #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",LANGUAGE="en",DEFAULT=YES
      #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="French",LANGUAGE="fr",URI="fr.m3u8"
      #EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a"
      v.m3u8
      """
    #expect(try choice(text).sound == nil)
    #expect(try choice(text) { $0.languages = ["fr"] }.sound == "https://h.org/fr.m3u8")
  }

  @Test func soundAloneIsTakenOnlyWithoutAPicture() throws {
    let both = """
      #EXTM3U
      #EXT-X-STREAM-INF:BANDWIDTH=900000,CODECS="mp4a.40.2"
      a.m3u8
      #EXT-X-STREAM-INF:BANDWIDTH=100000,CODECS="avc1.42e00a,mp4a.40.2",RESOLUTION=320x180
      v.m3u8
      """
    #expect(try choice(both).picture == "https://h.org/v.m3u8")
    #expect(try choice(both) { $0.soundOnly = true }.picture == "https://h.org/a.m3u8")
    let sound = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=9,CODECS=\"mp4a.40.2\"\na.m3u8\n"
    #expect(try choice(sound).picture == "https://h.org/a.m3u8")
  }

  @Test func aSilentVariantIsTakenOnlyIfAllAreSilent() throws {
    let silent =
      "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=9,CODECS=\"avc1.4d\",RESOLUTION=1920x1080\nv\n"
    let sounding =
      "#EXT-X-STREAM-INF:BANDWIDTH=5,CODECS=\"avc1.4d,mp4a.40.2\",RESOLUTION=640x360\nw\n"
    #expect(try choice(silent + sounding).picture == "https://h.org/w")
    #expect(try choice(silent).picture == "https://h.org/v")
  }

  @Test func numbersWithoutSenseDecideNothing() {
    for number in [Int.min, -1, 0, 1, Int.max] {
      var quality = StreamQuality()
      (quality.height, quality.bandwidth) = (number, number)
      var wishes = StreamWishes()
      wishes.maxHeight = 720
      #expect(quality.rank(for: wishes)[3] == min(max(0, number), 65_536))
      #expect(!quality.words.isEmpty)
    }
  }

  @Test func withoutSizesTheNameOrTheRateDecides() throws {
    let names = """
      #EXTM3U
      #EXT-X-STREAM-INF:BANDWIDTH=3,NAME="1080p60"
      a.m3u8
      #EXT-X-STREAM-INF:BANDWIDTH=2,NAME="720p"
      b.m3u8
      """
    #expect(try choice(names) { $0.maxHeight = 720 }.picture == "https://h.org/b.m3u8")
    let rates = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=3\na\n#EXT-X-STREAM-INF:BANDWIDTH=4\nb\n"
    #expect(try choice(rates).picture == "https://h.org/b")
  }

  @Test func onlyCodecsThatNoFileHoldsAreRefusedByName() {
    let text = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS=\"dvh1.05.06,ac-4\"\nv.m3u8\n"
    #expect(
      throws: StreamError.unsupported("feedfs cannot make a file of this codec: ac-4, dvh1.05.06")
    ) { try choice(text) }
  }

  @Test func aMasterPlaylistIsToldFromOneOfSegments() throws {
    #expect(try MasterPlaylist.isMaster(Array(Self.apple.utf8)))
    #expect(try !MasterPlaylist.isMaster(Array("#EXTM3U\n#EXTINF:4,\n1.ts\n".utf8)))
    #expect(throws: StreamError.self) { try choice("#EXTM3U\n#EXTINF:4,\n1.ts\n") }
  }

  @Test func theTracksSayWhichMediaTheyAreReadFor() throws {
    let choice = try choice(Self.apple)
    func playlist(_ name: String) throws -> MediaPlaylist {
      let text = "#EXTM3U\n#EXTINF:4.5,\n\(name)\n#EXT-X-ENDLIST\n"
      return try MediaPlaylist(Array(text.utf8), at: "https://h.org/x/")
    }
    let apart = choice.source(picture: try playlist("1.ts"), sound: try playlist("1.aac"))
    #expect(apart.tracks.map(\.contents) == [.picture, .sound])
    #expect(apart.tracks.map(\.container) == [.transport, .packedAudio])
    #expect(apart.tracks[0].height == 1080 && apart.tracks[1].language == "en-US")
    #expect(apart.duration == .milliseconds(4500) && apart.choice == choice.name)
    let together = choice.source(picture: try playlist("1.ts"), sound: nil)
    #expect(together.tracks.map(\.contents) == [.both])
  }
}
