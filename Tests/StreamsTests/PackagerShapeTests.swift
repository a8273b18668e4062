import Foundation
import TestSupport
import Testing

@testable import Streams

/// Fragmented MP4 as other packagers write it becomes the same film.
///
/// The samples are of a real encoder; the boxes are written here, so that no packager is needed.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Films.isInstalled("ffmpeg"), "ffmpeg is missing"))
struct PackagerShapeTests {
  private let films: Films
  private let video: [UInt8]
  private let audio: [UInt8]

  init() throws {
    films = try Films()
    let source = try films.source(
      "source.mp4", video: PackagedFilmTests.h264, audio: ["aac"])
    for (track, more) in [("v", "+frag_keyframe"), ("a", "")] {
      _ = try films.copy(
        source,
        ["-map", "0:\(track)", "-c", "copy", "-movflags", "dash+global_sidx" + more]
          + ["-frag_duration", "2000000", "-f", "mp4"], to: "\(track).mp4")
    }
    video = try films.bytes("v.mp4")
    audio = try films.bytes("a.mp4")
  }

  static let shapes = [
    PackagerShape(name: "GPAC on-demand", isExtendedFirst: true, before: ["styp"]),
    PackagerShape(
      name: "GPAC main: three moofs, the time in the first", isExtendedFirst: true, moofs: 3,
      tellsEachTime: false, before: ["styp", "prft"]),
    PackagerShape(name: "Bento4", before: ["styp"], defaults: .fragments, isNegative: true),
    PackagerShape(name: "Bento4, values in trex", defaults: .head, isNegative: true),
    PackagerShape(name: "shaka", before: ["styp"], hasTwoRuns: true),
    PackagerShape(name: "ffmpeg, an index before each fragment", index: .ofEach),
    PackagerShape(name: "an index of the first fragment alone", index: .ofTheFirstAlone),
    PackagerShape(name: "an index of indexes", before: ["emsg"], index: .nested),
    PackagerShape(name: "places counted from the file", base: .absolute),
    PackagerShape(name: "places counted from the moof, unsaid", base: .none),
    PackagerShape(name: "sizes of 64 bits", before: ["free"], isLarge: true),
    PackagerShape(name: "no index, events and clocks", before: ["emsg", "prft"], index: .none),
    PackagerShape(name: "no edit list", hasEditList: false),
  ]

  private func strand(_ film: RepackagedFilm, _ shape: PackagerShape) throws -> StrandIndex {
    let (index, requests) = try Assembly.index(of: film.bytes)
    if [.whole, .nested].contains(shape.index) { #expect(requests.count <= 3, "\(requests)") }
    #expect(index.fragments.count >= 4)
    return index
  }

  private func expectTheSource(_ shape: PackagerShape) throws {
    try films.expectEqualPictures("made", "source.mp4")
    try films.expectEqualSounds("made", "source.mp4")
  }

  @Test(arguments: Scale.cases(5, of: shapes))
  func aPairOfEachShapeIsTheSameFilm(_ shape: PackagerShape) throws {
    var sound = shape
    // The compositions of sound are none.
    sound.isNegative = false
    let parts = [
      RepackagedFilm([try Repackaged(video)], shape),
      RepackagedFilm([try Repackaged(audio)], sound),
    ]
    let strands = [try strand(parts[0], shape), try strand(parts[1], sound)]
    let layout = try films.make("made", strands, parts.map(\.bytes))
    try expectTheSource(shape)
    if shape.hasEditList { try films.expectSameDistance("made", "v.mp4", "a.mp4") }
    // The same bytes, whatever is asked first.
    let backwards = try Assembly.file(
      layout, parts.map(\.bytes), order: layout.fragments.indices.reversed())
    #expect(backwards.bytes == (try films.bytes("made.mkv")))
  }

  /// Places that are not said to count from the moof do so for its first track alone.
  @Test(arguments: Scale.cases(5, of: shapes.filter { $0.base != .none }))
  func pictureAndSoundInOneFileOfEachShapeAreTheSameFilm(_ shape: PackagerShape) throws {
    var shape = shape
    shape.isNegative = false
    let film = RepackagedFilm([try Repackaged(video), try Repackaged(audio, number: 2)], shape)
    let index = try strand(film, shape)
    #expect(index.tracks.map(\.description.isVideo) == [true, false])
    try films.make("made", [index], [film.bytes])
    try expectTheSource(shape)
    if shape.hasEditList { try films.expectSameDistance("made", "v.mp4", "a.mp4") }
  }

  /// Shaka's ranges have no offsets: each begins where the one before ended.
  @Test(
    arguments: Scale.cases(2, of: shapes.filter { ![.whole, .nested].contains($0.index) }),
    [true, false])
  func aPlaylistWithRangesIsTheSameFilm(_ shape: PackagerShape, hasOffsets: Bool) throws {
    let film = RepackagedFilm([try Repackaged(video)], shape)
    var text = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n"
    text += "#EXT-X-MAP:URI=\"v.mp4\",BYTERANGE=\"\(film.head.count)@0\"\n"
    for (number, place) in film.places.enumerated() {
      let offset = hasOffsets || number == 0 ? "@\(place.lowerBound)" : ""
      text += "#EXTINF:\(Double(film.durations[number]) / 1e9),\n"
      text += "#EXT-X-BYTERANGE:\(place.count)\(offset)\nv.mp4\n"
    }
    let track = try MediaPlaylist(Array((text + "#EXT-X-ENDLIST\n").utf8), at: "http://h/p").track
    let segments = try track.segments.map {
      StrandPlan.Segment(
        bytes: try #require($0.part.bytes), duration: $0.duration.nanoseconds)
    }
    let (index, requests) = try Assembly.index(of: film.bytes, segments: segments)
    #expect(requests.count <= 3 && index.fragments.map(\.bytes) == film.places)
    let sound = try Assembly.index(of: audio).index
    try films.make("made", [index, sound], [film.bytes, audio])
    try expectTheSource(shape)
  }

  /// The segments lie apart, and a list without indexes names them.
  @Test(arguments: Scale.cases(5, of: shapes.filter { $0.base != .absolute }))
  func segmentsOfEachShapeAreTheSameFilm(_ shape: PackagerShape) throws {
    let film = RepackagedFilm([try Repackaged(video)], shape)
    var text = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MAP:URI=\"init.mp4\"\n"
    for (number, duration) in film.durations.enumerated() {
      text += "#EXTINF:\(Double(duration) / 1e9),\n\(number).m4s\n"
    }
    let track = try MediaPlaylist(Array((text + "#EXT-X-ENDLIST\n").utf8), at: "http://h/p").track
    let movie = try SegmentedMovie(track, initialisation: film.head)
    let facts = film.fragments.map {
      SegmentFacts(bytes: 0..<$0.count, beginning: Array($0.prefix(16 << 10)))
    }
    #expect(try SegmentedMovie.needs(facts[0].beginning, of: facts[0].size) == nil)
    let index = try movie.index(facts, keys: 0)
    // The head has the first place among the addresses.
    let sound = try Assembly.index(of: audio).index
    try films.make("made", [index, sound], [[]] + film.fragments + [audio])
    try expectTheSource(shape)
  }
}
