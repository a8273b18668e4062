import Addresses
import Blocks
import Testing

@testable import HTTP

/// The length of the whole, as parts tell it.
@Suite(.timeLimit(.minutes(1)))
struct ToldLengthTests {
  private static let url = "http://o.example/v"
  /// The first range of a film of which nothing is known, and a later one of a film that is.
  private static let first = RangeRequest(url: url, range: .bytes(0..<204_800), expected: nil)
  private static let later = RangeRequest(
    url: url, range: .bytes(100_000..<250_000), expected: WordyServer.found)

  /// Some servers tell the length of the part as the total, and so a film would end with its first part.
  @Test(arguments: [206, 200])
  func aTotalThatIsThatOfThePartIsAskedFor(status: Int) throws {
    let server: (WordyServer.Asked) -> WordyServer.Reply = { asked in
      let range = asked.range ?? 0..<WordyServer.length
      return WordyServer.part(range).status(status).with(
        (
          "Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(range.upperBound)"
        ))
    }
    var manners = Manners()
    let outcome = try WordyServer.run(Self.first, &manners, answering: server)
    #expect(outcome.end == .complete)
    #expect(outcome.answer?.representation == WordyServer.found)
    let isWhole = outcome.bytes == Array(WordyServer.film[0..<(status == 206 ? 204_800 : 300_000)])
    #expect(isWhole)
    #expect(outcome.requests.count == 2)

    // An honest film that ends there is read too, and asked for once more.
    let honest = try WordyServer.run(Self.first, &manners) { asked in
      let range = (asked.range ?? 0..<1).clamped(to: 0..<204_800)
      return WordyServer.part(range).with(
        ("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/204800"))
    }
    let isRight = honest.bytes == Array(WordyServer.film[0..<204_800])
    #expect(isRight && honest.requests.count == 2)
    // What comes later contradicts the length that is proved.
    let later = try WordyServer.run(Self.later, &manners, answering: server)
    #expect(later.end == .changed && later.bytes.isEmpty)
  }

  /// The whole is an honest answer to a range without an end. It does not show that ranges are unknown.
  @Test func theWholeForARangeWithoutAnEndTeachesNothing() throws {
    var manners = Manners()
    let outcome = try WordyServer.run(Self.first, &manners) { asked in
      guard asked.number == 0 else { return WordyServer.whole }
      return WordyServer.part(0..<204_800).with(("Content-Range", "bytes 0-204799/204800"))
    }
    #expect(outcome.end == .complete && outcome.requests.last?.contains("Range: bytes=0-") == true)
    #expect(!manners.manner(of: try WebAddress(parsing: Self.url).origin, at: Self.url).hasNoRanges)

    _ = try WordyServer.run(Self.later, &manners) { _ in WordyServer.whole }
    #expect(manners.manner(of: try WebAddress(parsing: Self.url).origin, at: Self.url).hasNoRanges)
  }

  /// A server that has parts, and tells the length of the whole only with the whole.
  @Test func aTotalThatIsNotToldComesWithTheWhole() throws {
    let server: (WordyServer.Asked) -> WordyServer.Reply = { asked in
      guard let range = asked.range else { return WordyServer.whole }
      return WordyServer.part(range).with(
        ("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/*"))
    }
    var manners = Manners()
    let outcome = try WordyServer.run(Self.first, &manners, answering: server)
    let isWhole = outcome.bytes == WordyServer.film
    #expect(outcome.end == .complete && isWhole)
    #expect(outcome.answer?.representation == WordyServer.found && outcome.answer?.isWhole == true)
    #expect(outcome.requests.count == 2)
    #expect(outcome.requests.last?.contains { $0.hasPrefix("Range:") } == false)
  }

  /// A server that sends the whole for any range, and calls it a part.
  @Test func aWholeThatIsCalledAPartIsAWhole() {
    let length = 3 << 20
    let found = Representation(length: length, validator: .entityTag("\"v\""))
    let head = ResponseHead(
      status: 206,
      [
        "Content-Range": "bytes 0-\(length - 1)/\(length)", "Content-Length": "\(length)",
        "ETag": "\"v\"",
      ])
    for (start, isWhole) in [(0, false), (1 << 20, false), (1 << 20 + 1, true), (2 << 20, true)] {
      let request = RangeRequest(
        url: Self.url, range: .bytes(start..<start + 1000), expected: found)
      #expect(
        ResponseCheck.verdict(of: head, for: request) == .take(found, 0..<length, isWhole: isWhole))
    }
  }
}
