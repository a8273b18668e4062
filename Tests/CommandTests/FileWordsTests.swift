import Blocks
import Control
import Quantities
import Testing

@testable import CommandTools

struct FileWordsTests {
  private func file(
    _ state: FileStatus.State, _ change: (inout FileStatus) -> Void = { _ in }
  ) -> FileStatus {
    var file = FileStatus(name: "0001.mp4", title: "", size: 100, cached: 50, state: state)
    change(&file)
    return file
  }

  @Test func theStateIsToldInWords() {
    #expect(file(.complete).words(in: .online) == "complete")
    #expect(file(.filling).words(in: .online) == "filling")
    #expect(file(.waiting).words(in: .online) == "waiting")
    #expect(file(.partial).words(in: .online) == "partial")
    #expect(
      file(.complete) { $0.removed = true }.words(in: .online) == "complete, removed from the feed")
    #expect(file(.partial) { $0.pinned = true }.words(in: .online) == "partial, pinned")
  }

  @Test(arguments: [
    (4.2, "again in 4 s"), (0.4, "again now"), (0.6, "again in 1 s"), (299.6, "again in 300 s"),
  ])
  func whoWaitsIsToldForWhomAndWhyAndHowLong(retryIn: Double, again: String) {
    let waiting = file(.waiting) { file in
      file.host = "example.org"
      file.reason = "status 503"
      file.retryIn = retryIn
    }

    #expect(waiting.words(in: .online) == "waiting for example.org: status 503, \(again)")
  }

  @Test(arguments: [NetworkMode.paused, .offline])
  func whatIsWantedWhileNothingIsFetchedIsToldSo(mode: NetworkMode) {
    #expect(file(.waiting).words(in: mode) == mode.rawValue)
    #expect(file(.filling).words(in: mode) == mode.rawValue)
    #expect(file(.partial) { $0.open = 1 }.words(in: mode) == mode.rawValue)
    #expect(file(.partial).words(in: mode) == "partial")
    #expect(file(.complete) { $0.open = 1 }.words(in: mode) == "complete")
  }

  @Test func theReaderWhoHasLeastAheadCounts() {
    let file = file(.filling) { file in
      file.readers = [
        ReaderStatus(position: 0, ahead: 900, seconds: 200.9),
        ReaderStatus(position: 9, ahead: 100, seconds: 3723),
      ]
    }
    #expect(FileRow.ahead(of: file) == "3:20 ahead")
    var unknown = file
    unknown.readers = file.readers?.map {
      ReaderStatus(position: $0.position, ahead: $0.ahead << 10, seconds: nil)
    }
    #expect(FileRow.ahead(of: unknown) == "100.0 KiB ahead")
  }

  @Test func figuresAreFitToBeRead() {
    #expect(Quantity.time(3723) == "1:02:03" && Quantity.time(-1) == "0:00")
    #expect(Quantity.count(9_987) == "9,987" && Quantity.count(12) == "12")
    #expect(Quantity.count(1_000_000) == "1,000,000" && Quantity.count(0) == "0")
    #expect(Quantity.share(999, of: 1000) == "99 %" && Quantity.share(5, of: 5) == "100 %")
    #expect(Quantity.bytes(512) == "512 B" && Quantity.bytes(3 << 19) == "1.5 MiB")
  }

  @Test(arguments: [
    (1023, "1023 B"), (1024, "1.0 KiB"), (1_048_524, "1023.9 KiB"), (1_048_525, "1.0 MiB"),
    (1_048_575, "1.0 MiB"), (1 << 30 - 1, "1.0 GiB"), (1 << 50, "1024.0 TiB"),
  ])
  func aUnitIsChosenForTheRoundedNumber(bytes: Int, text: String) {
    #expect(Quantity.bytes(bytes) == text)
  }
}
