/// A film as shaka's packager packs it: its words, and what a mount makes of it.
struct PackagedShape: Sendable {
  /// The result of mounting it.
  enum Outcome: Sendable {
    /// The pictures and sounds that ffmpeg reads from the origin.
    case film
    /// Those of the source: ffmpeg cannot read the shape as it is, or takes another quality.
    case source
    /// Those of the source with the second sound.
    case second
    /// An error whose reason has these words.
    case refused(String)
  }

  let name: String
  /// The file that a feed names.
  let entry: String
  let words: [String]
  var source = PackagedSource.film
  var outcome = Outcome.film
  var options: [String] = []
  /// True if it has subtitles, which lie beside the film.
  var hasText = false

  private static let lists = ["--hls_master_playlist_output", "m.m3u8"]
  private static let manifest = ["--mpd_output", "m.mpd"]
  private static let ended = manifest + ["--generate_static_live_mpd"]
  private static let long = ["--segment_duration", "2"]
  private static let anywhere = [
    "--segment_duration", "1.3", "--segment_sap_aligned=false", "--fragment_sap_aligned=false",
  ]
  private static let pieces = [
    "--segment_duration", "2", "--fragment_duration", "0.5", "--fragment_sap_aligned=false",
  ]
  private static let text = "in=words.vtt,stream=text,lang=en,"

  /// A file for each track.
  private static func files(_ source: PackagedSource = .film, _ ending: String = "mp4") -> [String]
  {
    [
      "in=\(source.file),stream=video,out=v.\(ending)",
      "in=\(source.file),stream=audio,out=a.\(ending),lang=en",
    ]
  }

  /// A head and segments for each track.
  private static func parts(
    _ source: PackagedSource = .film, _ number: String = "$Number$", _ ending: String = "mp4"
  ) -> [String] {
    let name = "\(number).\(ending == "webm" ? ending : "m4s")"
    return [
      "in=\(source.file),stream=video,init_segment=v.\(ending),segment_template=v-\(name)",
      "in=\(source.file),stream=audio,init_segment=a.\(ending),segment_template=a-\(name),lang=en",
    ]
  }

  /// Transport streams, or packed sound beside them.
  private static func transport(
    _ source: PackagedSource = .film, sound ending: String = "ts"
  ) -> [String] {
    [
      "in=\(source.file),stream=video,segment_template=v-$Number$.ts",
      "in=\(source.file),stream=audio,segment_template=a-$Number$.\(ending),lang=en",
    ]
  }

  private static func encrypted(_ scheme: String, clear: Int = 0) -> [String] {
    [
      "--enable_raw_key_encryption", "--keys",
      "label=:key_id=00112233445566778899aabbccddeeff:key=\(PackagedSource.key)",
      "--protection_scheme", scheme, "--clear_lead", "\(clear)", "--hls_key_uri", "k.key",
    ]
  }

  private static func dash(
    _ name: String, _ words: [String], _ source: PackagedSource = .film,
    _ outcome: Outcome = .film
  ) -> PackagedShape {
    PackagedShape(
      name: "DASH, " + name, entry: "m.mpd", words: words, source: source, outcome: outcome)
  }

  private static func hls(
    _ name: String, _ words: [String], _ source: PackagedSource = .film,
    _ outcome: Outcome = .film
  ) -> PackagedShape {
    PackagedShape(
      name: "HLS, " + name, entry: "m.m3u8", words: words + lists, source: source, outcome: outcome)
  }

  private static let drm = Outcome.refused("protected by")

  static let manifests: [PackagedShape] = [
    dash("on demand", files() + manifest + long),
    dash("a list of ranges", files() + manifest + long + ["--dash_force_segment_list"]),
    dash("several fragments behind an entry", files() + manifest + pieces),
    dash("cut beside the groups of pictures", files() + manifest + anywhere),
    dash("numbers", parts() + ended + long),
    dash(
      "wide numbers from 7",
      parts(.film, "$Number%05d$") + ended + long + ["--start_segment_number", "7"]),
    dash("times", parts(.film, "$Time$") + ended + long, .film, .source),
    dash(
      "no index in segments", parts() + ended + long + ["--generate_sidx_in_media_segments=false"]),
    dash("several fragments in a segment", parts() + ended + pieces),
    dash("segments cut beside the groups", parts() + ended + anywhere),
    dash(
      "durations that are near", parts() + ended + long + ["--allow_approximate_segment_timeline"]),
    dash("HEVC", files(.hevc) + manifest + long, .hevc),
    dash("VP9 and Opus in WebM", files(.vp9, "webm") + manifest + long, .vp9),
    dash("VP9 and Opus in segments", parts(.vp9, "$Number$", "webm") + ended + long, .vp9),
    dash("VP9 and Opus in MP4", files(.vp9) + manifest + long, .vp9),
    dash("AC-3", files(.ac3) + manifest + long, .ac3),
    dash("24000/1001 and 44.1 kHz", parts(.cinema) + ended + long, .cinema),
    dash("sound that begins late", files(.lateSound) + manifest + long, .lateSound),
    dash("from 11 hours on", files(.late) + manifest + long, .late),
    dash("from 11 hours on, numbers", parts(.late) + ended + long, .late),
    dash("from 11 hours on, times", parts(.late, "$Time$") + ended + long, .late, .source),
    dash("over the end of the clock", parts(.wrap) + ended + long, .wrap),
    dash("an advertisement", parts() + ended + long + ["--ad_cues", "4"], .film, .source),
    dash(
      "pictures for a quick search",
      files() + ["in=film.mp4,stream=video,out=t.mp4,trick_play_factor=1"] + manifest + long),
    dash("sound alone", [files()[1]] + manifest + long),
    dash("a picture alone", [files()[0]] + manifest + long),
    dash("live", parts() + manifest + long, .film, .refused("live")),
    dash("cenc", files() + manifest + long + encrypted("cenc"), .film, drm),
    dash("cens", files() + manifest + long + encrypted("cens"), .film, drm),
    dash(
      "cenc behind a clear beginning", parts() + ended + long + encrypted("cenc", clear: 3), .film,
      drm),
    dash(
      "cenc, clear sound",
      [files()[0], files()[1] + ",skip_encryption=1"] + manifest + long + encrypted("cenc"), .film,
      drm),
    dash(
      "cenc, a clear picture",
      [files()[0] + ",skip_encryption=1", files()[1]] + manifest + long + encrypted("cenc"), .film,
      drm),
    dash(
      "files for each advertisement",
      ["in=film.mp4,stream=video,out=v$Number$.mp4", "in=film.mp4,stream=audio,out=a$Number$.mp4"]
        + manifest + long + ["--ad_cues", "4"], .film, .refused("a row of whole files")),
  ]

  static let playlists: [PackagedShape] = [
    hls("ranges of a file", files() + long),
    hls("segments", parts() + long),
    hls("no index in segments", parts() + long + ["--generate_sidx_in_media_segments=false"]),
    hls("several fragments in a segment", parts() + pieces),
    hls("segments cut beside the groups", parts() + anywhere),
    hls("an advertisement", parts() + long + ["--ad_cues", "4"]),
    hls("HEVC", parts(.hevc) + long, .hevc),
    hls("VP9 and Opus", parts(.vp9) + long, .vp9),
    hls("E-AC-3", parts(.eac3) + long, .eac3),
    hls("24000/1001 and 44.1 kHz", parts(.cinema) + long, .cinema),
    hls("sound that begins late", parts(.lateSound) + long, .lateSound),
    hls("from 11 hours on", parts(.late) + long, .late),
    hls("over the end of the clock", parts(.wrap) + long, .wrap),
    hls("lists of key pictures", [files()[0] + ",iframe_playlist_name=i.m3u8", files()[1]] + long),
    hls(
      "an event that ended",
      parts() + long + ["--hls_playlist_type", "EVENT", "--event_to_vod_on_end_of_stream"]),
    hls(
      "dates, and a start behind the beginning",
      parts() + long + [
        "--add_program_date_time", "--hls_start_time_offset", "-3", "--hls_media_sequence_number",
        "100000",
      ]),
    hls("an event", parts() + long + ["--hls_playlist_type", "EVENT"], .film, .refused("live")),
    hls("live", parts() + long + ["--hls_playlist_type", "LIVE"], .film, .refused("live")),
    hls("cenc", parts() + long + encrypted("cenc"), .film, drm),
    hls("cbcs", parts() + long + encrypted("cbcs"), .film, .refused("encrypted")),
    hls(
      "cenc, clear sound",
      [parts()[0], parts()[1] + ",skip_encryption=1"] + long + encrypted("cenc"), .film,
      drm),
  ]

  static let streams: [PackagedShape] = [
    hls("transport streams", transport() + long),
    hls("transport streams cut beside the groups", transport() + anywhere),
    hls("transport streams with an advertisement", transport() + long + ["--ad_cues", "3;5.5"]),
    hls("transport streams and packed AAC", transport(sound: "aac") + long),
    hls("transport streams and packed AC-3", transport(.ac3, sound: "ac3") + long, .ac3, .source),
    hls(
      "transport streams and packed E-AC-3", transport(.eac3, sound: "ec3") + long, .eac3, .source),
    hls("transport streams and packed MP3", transport(.mp3, sound: "mp3") + long, .mp3, .source),
    hls("transport streams of AC-3", transport(.ac3) + long, .ac3),
    hls("transport streams of 24000/1001 and 44.1 kHz", transport(.cinema) + long, .cinema),
    hls("packed AAC of 44.1 kHz", transport(.cinema, sound: "aac") + long, .cinema),
    hls("a transport stream beside a movie", [transport()[0], parts()[1]] + long, .film, .source),
    hls(
      "a movie beside packed AAC", [parts()[0], transport(sound: "aac")[1]] + long),
    hls("transport streams from 11 hours on", transport(.late) + long, .late),
    hls("packed AAC from 11 hours on", transport(.late, sound: "aac") + long, .late, .source),
    hls("transport streams over the end of the clock", transport(.wrap) + long, .wrap),
    hls(
      "packed AAC over the end of the clock", transport(.wrap, sound: "aac") + long, .wrap, .source),
    hls(
      "transport streams that begin at 5 s",
      transport() + long + ["--transport_stream_timestamp_offset_ms", "5000"]),
    hls("packed AAC alone", [transport(sound: "aac")[1]] + long),
    hls("a transport stream alone", [transport()[0]] + long),
    hls("AES-128", transport() + long + encrypted("aes128")),
    // The packager calls the beginning clear, and encrypts it.
    hls(
      "AES-128 behind a clear beginning", transport() + long + encrypted("aes128", clear: 3), .film,
      .refused("table of its streams")),
    // The packager calls packed sound encrypted, and leaves it clear.
    hls(
      "AES-128 of packed AAC", transport(sound: "aac") + long + encrypted("aes128"), .film,
      .refused("table of its streams")),
    hls("SAMPLE-AES", transport() + long + encrypted("cbcs"), .film, .refused("SAMPLE-AES")),
    hls(
      "SAMPLE-AES behind a clear beginning", transport() + long + encrypted("cbcs", clear: 3),
      .film, .refused("SAMPLE-AES")),
  ]

  /// Several languages, and qualities; the film is mounted with `--languages de`.
  static let languages: [PackagedShape] = [
    dash(
      "two languages", files() + ["in=film.mp4,stream=2,out=d.mp4,lang=de"] + manifest + long,
      .film, .second),
    hls(
      "two languages",
      parts() + ["in=film.mp4,stream=2,init_segment=d.mp4,segment_template=d-$Number$.m4s,lang=de"]
        + long, .film, .second),
    hls(
      "two languages of packed AAC",
      transport(sound: "aac") + ["in=film.mp4,stream=2,segment_template=d-$Number$.aac,lang=de"]
        + long, .film, .second),
    dash(
      "two qualities",
      ["in=\(PackagedSource.small.file),stream=video,out=s.mp4"] + files() + manifest + long, .film,
      .source),
    hls(
      "two qualities",
      [
        "in=\(PackagedSource.small.file),stream=video,init_segment=s.mp4,segment_template=s-$Number$.m4s"
      ] + parts() + long, .film, .source),
  ]

  static let texts: [PackagedShape] = [
    dash("WebVTT", files() + [text + "out=t.vtt"] + manifest + long),
    dash("WebVTT in MP4", files() + [text + "out=t.mp4,format=vtt+mp4"] + manifest + long),
    dash(
      "WebVTT in segments",
      parts() + [text + "init_segment=t.mp4,segment_template=t-$Number$.m4s,format=vtt+mp4"] + ended
        + long),
    dash("TTML", files() + [text + "out=t.ttml"] + manifest + long, .film, .source),
    dash("TTML in MP4", files() + [text + "out=t.mp4,format=ttml+mp4"] + manifest + long),
    dash(
      "TTML in segments",
      parts() + [text + "init_segment=t.mp4,segment_template=t-$Number$.m4s,format=ttml+mp4"]
        + ended + long),
    hls("WebVTT", parts() + [text + "segment_template=t-$Number$.vtt"] + long),
    hls(
      "WebVTT in MP4",
      parts() + [text + "init_segment=t.mp4,segment_template=t-$Number$.m4s,format=vtt+mp4"] + long),
  ].map { shape in
    var shape = shape
    shape.hasText = true
    return shape
  }
}
