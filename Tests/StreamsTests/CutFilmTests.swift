import FoundationEssentials
import TestSupport
import Testing

@testable import Streams

/// A transport stream may be cut anywhere, and its packets may hold several pictures or parts of one.
/// No picture and no sound is lost or changed.
@Suite(.timeLimit(.minutes(10)), .enabled(if: Broadcast.isPossible, "ffmpeg is not installed"))
struct CutFilmTests {
  /// A run has some of them, and a full count has all.
  private static let some = Scale.cases(6, of: TransportFilm.all)

  @Test(arguments: some, TransportFilm.Cut.allCases)
  func picturesAndSoundsAreThoseOfTheStream(
    _ transport: TransportFilm, _ cut: TransportFilm.Cut
  ) throws {
    let broadcast = try Broadcast()
    let bytes = try transport.make(in: broadcast.folder.path)
    var random = SeededRandom(seed: 11)
    let places = cut.places(in: bytes, &random)
    let film = try CutFilm(bytes, cuts: places, seconds: TransportFilm.seconds)
    let (file, behind, requests) = try film.file()
    print(
      "\(transport), \(cut): \(film.segments.count) segments, \(bytes.count) bytes; layout"
        + " \(film.asked), behind \(behind) by \(requests), film \(file.count)")
    try broadcast.write(file, to: "film.mkv")
    func frames(of name: String) throws -> [DecodedFrame.Kind: [DecodedFrame]] {
      let place = ["-i", broadcast.path(of: name)]
      return try DecodedFrame.all(transport.kinds, of: place, isStrict: false)
    }
    let (made, given) = try (frames(of: "film.mkv"), frames(of: "origin.ts"))
    // Where packets tell no times, those are the times of the source.
    let told = try frames(of: "source.ts")
    var shifts: [Double] = []
    for kind in transport.kinds {
      let (own, other) = (made[kind] ?? [], told[kind] ?? [])
      #expect(own.map(\.hash) == given[kind]?.map(\.hash), "\(kind): \(own.count)")
      guard own.count == other.count, !own.isEmpty else {
        Issue.record("\(kind): \(own.count) for \(other.count)")
        continue
      }
      let shift = own.shift(from: other)
      shifts.append(shift.seconds)
      #expect(shift.worst < 0.0011, "\(kind): a time is off by \(shift.worst)")
    }
    if shifts.count == 2 { #expect(abs(shifts[0] - shifts[1]) < 0.0016, "\(shifts)") }
  }

  /// The next segment has not the rest of it.
  @Test func aPacketThatNoSegmentEndsIsTold() throws {
    let kind = try #require(TransportFilm.all.first { $0.name == "sound alone" })
    let broadcast = try Broadcast()
    let bytes = try withExtendedLifetime(broadcast) { try kind.make(in: broadcast.folder.path) }
    let packet = bytes.count / 2 / SegmentEdge.packet * SegmentEdge.packet
    let film = try CutFilm(
      [Array(bytes[..<(packet + 100)]), Array(bytes[(packet + SegmentEdge.packet)...])],
      seconds: TransportFilm.seconds)
    let made = try SlotBytes(film.layout, slot: 0).made(of: film.segments[0], key: nil) {
      next, range throws(StreamError) in
      film.segments[film.layout.fragments[next].resource][range]
    }
    #expect(made.bytes.joined().count == film.layout.fragments[0].slot)
    #expect(made.balance.unclaimed >= 100)
  }
}
