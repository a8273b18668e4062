import FoundationEssentials
import Streams
import TestSupport
import Testing

@testable import FeedReading

private let isPackagerThere = (try? ChildProcess.run(["ffmpeg", "-version"]))?.status == 0

/// The places in the manifests of a real packager are those of its files.
@Suite(
  .timeLimit(.minutes(3)), .enabled(if: isPackagerThere, "ffmpeg is not installed")
)
struct PackagedManifestTests {
  /// Makes a manifest of two pictures and a sound, and gives its stream and the sizes of its files.
  private func stream(
    _ options: [String]
  ) throws -> (source: StreamSource, sizes: [String: Int]) {
    let folder = FileManager.default.temporaryDirectory.appending(path: "manifest-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let arguments = [
      "ffmpeg", "-v", "error", "-bitexact", "-f", "lavfi", "-i",
      "testsrc2=size=640x360:rate=25:duration=7", "-f", "lavfi", "-i",
      "sine=sample_rate=48000:duration=7", "-map", "0:v", "-map", "0:v", "-map", "1:a", "-s:v:0",
      "320x180", "-c:v", "libx264", "-preset", "ultrafast", "-g", "50", "-keyint_min", "50",
      "-sc_threshold", "0", "-c:a", "aac", "-f", "dash", "-seg_duration", "2", "-adaptation_sets",
      "id=0,streams=v id=1,streams=a",
    ]
    let outcome = try ChildProcess.run(
      ["sh", "-c", "cd \"$0\" && exec \"$@\"", folder.path] + arguments + options + ["m.mpd"],
      timeout: .seconds(100))
    try #require(outcome.status == 0, "\(outcome.err)")
    var sizes: [String: Int] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      sizes["https://h.org/d/" + name] = try Data(contentsOf: folder.appending(path: name)).count
    }
    let bytes = Array(try Data(contentsOf: folder.appending(path: "m.mpd")))
    let manifest = try Manifest(bytes, at: "https://h.org/d/m.mpd")
    return (try manifest.source(StreamWishes()), sizes)
  }

  private func checkTracks(_ source: StreamSource) {
    #expect(source.tracks.map(\.contents) == [.picture, .sound])
    #expect(source.tracks[0].height == 360 && source.tracks[0].container == .mp4)
    #expect(source.duration == .seconds(7))
  }

  @Test(arguments: [true, false])
  func eachSegmentIsAFileThatIsThere(timeline: Bool) throws {
    let (source, sizes) = try stream(["-use_timeline", timeline ? "1" : "0", "-use_template", "1"])
    checkTracks(source)
    for track in source.tracks {
      #expect(track.initializations.count == 1 && track.oneMore == nil || !timeline)
      // By number alone, the address behind the last one is there only if the packager made it.
      let extra = track.oneMore.map { [track.addresses[$0.part.address]] } ?? []
      #expect(track.addresses.filter { sizes[$0] == nil }.allSatisfy(extra.contains))
      #expect(track.segments.count >= 4)
    }
    // No segment of these tracks is forgotten.
    let named = Set(source.tracks.flatMap(\.addresses))
    let streams = source.tracks.map { $0.addresses[0].dropFirst("https://h.org/d/init-".count) }
    for name in sizes.keys where name.contains("chunk-") {
      let isOurs = streams.contains { stream in
        name.contains("chunk-" + stream.prefix { $0 != "." })
      }
      #expect(!isOurs || named.contains(name), "\(name)")
    }
  }

  @Test func rangesCoverTheFilesOfTheTracks() throws {
    let (source, sizes) = try stream(["-single_file", "1"])
    checkTracks(source)
    for track in source.tracks {
      #expect(track.addresses.count == 1)
      let size = try #require(sizes[track.addresses[0]])
      let ranges = track.segments.compactMap(\.part.bytes)
      #expect(ranges.count == track.segments.count && ranges.last?.upperBound == size)
      for (one, next) in zip(ranges, ranges.dropFirst()) {
        #expect(one.upperBound == next.lowerBound)
      }
    }
  }
}
