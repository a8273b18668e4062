import Addresses
import FeedReading
import Filling
import HTTP
import Host
import StreamFiles
import Streams
import World

/// Finds out whether the first streams of a feed can be read as files, by asking for their
/// playlists.
struct StreamCheckup: Sendable {
  /// The largest number of streams of a feed that are checked.
  private static let maxStreams = 2
  private static let timeout: Duration = .seconds(8)

  let choice: FeedChoice

  func findings(of feed: Feed, by client: HTTPClient) async -> [Finding] {
    let addresses = feed.entries.lazy.compactMap(\.media).filter(\.isStream).map(\.url)
    guard let wishes = StreamWishes(choice.media) else { return [] }
    let finder = StreamFinder(
      pieces: PieceClient(client: client, feed: choice.typed, tasks: .real), wishes: wishes,
      wall: .real)
    var findings: [Finding] = []
    for address in addresses.prefix(Self.maxStreams) {
      let question = Task { () -> Result<StreamSource, PieceError> in
        do throws(PieceError) {
          return .success(try await finder.source(at: PiecePlace(address: address)))
        } catch {
          return .failure(error)
        }
      }
      let answer = await Tasks.real.value(of: question, within: Self.timeout)
      if answer == nil { question.cancel() }
      findings.append(Self.finding(answer, address))
    }
    return findings
  }

  private static func finding(
    _ answer: Result<StreamSource, PieceError>?, _ address: String
  ) -> Finding {
    let name = WebAddress.shown(address)
    switch answer {
    case .success(let source)?: return .ok(name, "a stream that becomes a file: \(source.reason)")
    case .failure(let trouble)?:
      return .warn(
        name, "a stream that cannot become a file: \(trouble.words ?? "it does not answer")",
        mend: trouble.isBroadcast
          ? "open it again when it has ended"
          : "`feedfs mount --streams off` takes another form of it, if the feed has one")
    case nil:
      return .warn(name, "a stream that does not answer in time", mend: "try again later")
    }
  }
}
