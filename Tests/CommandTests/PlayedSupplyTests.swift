import Blocks
import Control
import Playback
import Testing

@testable import CommandTools

/// How the bytes of the playing file come, as the daemon's details say it.
struct PlayedSupplyTests {
  @Test func placesAndRatesAreTaken() {
    let supply = supply { file in
      file.duration = 50
      file.extents = [Extent(from: 0, until: 400), Extent(from: 600, until: 700)]
      file.waiting = 1
      file.readers = [
        // A program that has read all, one that is far from a gap, and the player.
        ReaderStatus(position: 1000, ahead: 0, seconds: nil),
        ReaderStatus(position: 100, ahead: 300, seconds: nil),
        ReaderStatus(position: 390, ahead: 10, seconds: nil),
      ]
    }
    #expect(supply.size == 1000 && supply.rate == 20 && supply.isWaiting && !supply.isWhole)
    #expect(supply.cached == [0..<400, 600..<700])
    #expect(supply.reader == .init(ahead: 10, edge: 400))
    #expect(supply.host == "example.org" && supply.reason == nil)
  }

  @Test func aCompleteFileIsWhole() {
    let supply = supply { $0.state = .complete }
    #expect(supply.isWhole && supply.reader == nil)
  }

  /// A reader that waits knows best. An origin that is known to be away is not asked until somebody
  /// waits. A failure is remembered until bytes come. The speed falls only some seconds after them.
  @Test(
    arguments: [
      (["waits", "away", "failure"], nil, "waits"), (["away", "failure"], nil, "away"),
      (["failure"], nil, "failure"), ([], nil, nil), (["failure"], 1000, "failure"),
      (["away"], 1000, nil),
    ] as [([String], Int?, String?)])
  func theReasonIsTheFirstOfThese(said: [String], speed: Int?, reason: String?) {
    let away =
      said.contains("away") ? ["https://example.org:443": "away"] : ["https://other.org:443": "x"]
    let supply = supply(away: away) { file in
      file.reason = said.first { $0 == "waits" }
      file.failure =
        said.contains("failure")
        ? FailureStatus(what: "failure", at: 1, retryIn: nil, isHopeless: true) : nil
      file.speed = speed
    }
    #expect(supply.reason == reason)
    #expect(supply.isHopeless == said.contains("failure"))
  }

  private func supply(
    away: [String: String] = [:], _ change: (inout FileStatus) -> Void
  ) -> Supply {
    var file = FileStatus(name: "0001.mp4", title: "One", size: 1000, cached: 500, state: .partial)
    change(&file)
    let details = FileDetails(
      mode: .online, file: file, titleName: "One.mp4", id: "1", url: "https://example.org/1.mp4?…")
    return PlayedMount.supply(of: "/m/0001.mp4", details, away: away)
  }
}
