import TestSupport
import Testing

@testable import FeedMount

/// The small requests to an origin that sent misplaced bytes.
struct CautionsTests {
  private let piece = Figure.cautiousRequest.bytes
  private let reach = Figure.cautiousReach.bytes

  @Test func anOriginThatWasWrongIsAskedForSmallPiecesForAWhile() {
    let cautions = Cautions()
    cautions.wasWrong("http://e.org/a")
    var place = 0
    while place < reach {
      let cut = cautions.cut(place..<place + 10 * piece, at: "http://e.org/b")
      #expect(cut.lowerBound == place && 1...piece ~= cut.count)
      place = cut.upperBound
    }

    let large = place..<place + 10 * piece
    #expect(cautions.cut(large, at: "http://e.org/b") == large)
  }

  @Test func otherOriginsAreAskedAsEver() {
    let cautions = Cautions()
    cautions.wasWrong("http://e.org/a")

    #expect(cautions.cut(0..<10 * piece, at: "http://o.org/a") == 0..<10 * piece)
  }
}
