import Blocks
import Control
import FeedReading
import Testing

@Suite(.timeLimit(.minutes(1))) struct StatusDocumentTests {
  @Test(arguments: [0, 1, 200, 201, 1234])
  func aStatusThatIsMadeInPiecesIsTheOneThatIsMadeAtOnce(count: Int) throws {
    var status = status
    let files = (0..<count).map { file($0) }

    let pieces = status.document(of: count) { places in places.map { file($0) } }

    status.files = files
    #expect(pieces.joined == (try Wire.encode(status, pretty: true)))
    #expect(pieces.count == (count <= 200 ? 1 : 2 + (count + 199) / 200))
  }

  @Test func noPieceOfALongOneIsLong() {
    let pieces = status.document(of: 10_000) { places in places.map { file($0) } }

    #expect((0..<pieces.count).allSatisfy { pieces[$0].count < 256 << 10 })
  }

  @Test(arguments: [
    (StatusPart(), 0..<10), (StatusPart(from: 3), 3..<10), (StatusPart(count: 4), 0..<4),
    (StatusPart(from: 8, count: 4), 8..<10), (StatusPart(from: 99, count: 4), 10..<10),
    (StatusPart(from: 2, count: Int.max), 2..<10), (StatusPart(from: 5, count: 0), 5..<5),
  ])
  func aPartIsTheFilesFromAPlaceOn(part: StatusPart, places: Range<Int>) {
    #expect(part.places(of: 10) == places)
  }

  @Test(arguments: [
    ("", ControlRequest.status), ("?from=2", .files(StatusPart(from: 2))),
    ("?from=2&count=3&since=9", .files(StatusPart(from: 2, count: 3, since: 9))),
    ("?from=", nil), ("?count=-1", nil), ("?since=x", nil), ("?from=99999999999999999999", nil),
  ])
  func aRequestSaysWhichFilesItMeans(query: String, request: ControlRequest?) {
    #expect(ControlRequest(method: "GET", target: "/v1/status" + query) == request)
    if let request { #expect(request.target == "/v1/status" + query) }
  }

  private var status: MountStatus {
    let feed = FeedStatus(
      folder: "", title: "\"files\" : [\n  x", address: "https://example.org/feed", entries: 3,
      pages: 1, end: nil, refreshed: nil, error: nil)
    return MountStatus(
      version: "1", pid: 1, mountPoint: "/m\n  \"files\" : [", passthrough: false, feeds: [feed],
      cache: CacheStatus(path: "/c", bytes: 3 << 20, problem: nil), files: [],
      origins: [
        OriginStatus(
          origin: "o", condition: .reachable, state: "reachable", lastError: nil, requests: 1,
          bytes: 2)
      ])
  }

  private func file(_ number: Int) -> FileStatus {
    var file = FileStatus(
      name: "\(number).mp4", title: "[\(number)]\n \"x\" ]", size: 1 << 20, cached: number,
      state: .partial)
    file.growthLimit = number
    file.extents = [Extent(from: 0, until: number)]
    return file
  }
}
