import Addresses
import Blocks
import Control
import Filling
import HTTP

/// Describes how a file is being filled, and which readers wait for it.
extension FileStatus {
  /// Writes the report of the file's filler into the status.
  ///
  /// - Parameters:
  ///   - sources: the origins of the bytes, first the origin of the file's own address.
  ///   - trouble: the reason why the last answer was useless; nil if it was useful.
  ///   - origins: the reports of the origins, by name.
  mutating func take(
    _ report: FillReport, from sources: [OriginName], trouble: String?,
    _ origins: [String: OriginReport]
  ) {
    let hinderer = sources.first { origins[$0.description]?.obstacle != nil }
    let obstacle = hinderer.flatMap { origins[$0.description]?.obstacle }
    readers = report.readers.isEmpty ? nil : report.readers.map { Self.reader($0, report) }
    fetches =
      report.fetches.isEmpty
      ? nil
      : report.fetches.map {
        FetchStatus(from: $0.bytes.lowerBound, until: $0.bytes.upperBound, position: $0.position)
      }
    speed = report.speed > 0 ? report.speed : nil
    waiting = report.waiting > 0 ? report.waiting : nil
    guard !report.fetches.isEmpty || report.waiting > 0 else { return }
    // A fetch from a stream counts as begun once the head of the stream's file is known. So if an
    // origin has an obstacle, only arriving bytes show that the fetch goes on.
    let comes = report.fetches.contains(where: \.hasBegun) && report.speed > 0
    let hasBegun = report.fetches.contains(where: \.hasBegun) && (comes || obstacle == nil)
    let isHeldUp = !hasBegun && (obstacle != nil || report.retryIn != nil)
    let comesNothing = report.waiting > 0 && report.speed == 0
    guard isHeldUp || comesNothing || report.fetches.isEmpty else {
      state = .filling
      return
    }
    state = .waiting
    host = (hinderer ?? sources.first)?.authority
    if let obstacle, !hasBegun {
      reason = obstacle.reason
      retryIn = obstacle.lasts.seconds
    } else if let retry = report.retryIn, !hasBegun {
      reason = trouble
      retryIn = retry.seconds
    } else if hasBegun {
      reason = "no bytes arrive"
    }
  }

  private static func reader(_ reader: FillReport.Reader, _ report: FillReport) -> ReaderStatus {
    ReaderStatus(
      position: reader.position, ahead: reader.ahead,
      seconds: report.playRate.map { $0 > 0 ? Double(10 * reader.ahead / $0) / 10 : 0 })
  }
}

extension Extent {
  init(_ bytes: ByteRange) {
    self.init(from: bytes.lowerBound, until: bytes.upperBound)
  }
}

extension Duration {
  /// The seconds, rounded up to a tenth, so that a shown value does not change more often.
  fileprivate var seconds: Double { (self / .milliseconds(100)).rounded(.up) / 10 }
}
