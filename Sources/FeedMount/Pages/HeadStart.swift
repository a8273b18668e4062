import HTTP
import Locks
import World

/// The request for the first page of a feed that was never read. It is under way while the feed's
/// cache is opened, because a user waits for the answer.
///
/// `get` gives its answer to the first caller that asks for that page, and sends all other requests
/// to the network. Safe from any thread. If no caller takes the answer, the request is cancelled
/// when this object is freed.
final class HeadStart: DocumentClient {
  private typealias Answer = Task<Result<Document, HTTPError>, Never>

  private let request: DocumentRequest
  /// The cookies of the answer. The other pages of the feed share them.
  private let cookies: CookieJar
  private let network: any DocumentClient
  private let answer: Locked<Answer?>

  /// Sends the request. Returns nil if the feed is a file, which needs no request.
  init?(_ choice: FeedChoice, in world: World) {
    let page = FeedPage(choice: choice, client: world.network)
    guard let request = page.firstRequest else { return nil }
    let client: any DocumentClient = world.network
    let answer = world.tasks.start { () async -> Result<Document, HTTPError> in
      do throws(HTTPError) {
        return .success(try await client.get(request))
      } catch {
        return .failure(error)
      }
    }
    self.request = Self.bare(request)
    cookies = page.cookies
    self.answer = Locked(answer)
    network = client
  }

  deinit { take()?.cancel() }

  func get(_ request: DocumentRequest) async throws(HTTPError) -> Document {
    guard Self.bare(request) == self.request, let answer = take() else {
      return try await network.get(request)
    }
    let result = await withTaskCancellationHandler {
      await answer.value
    } onCancel: {
      answer.cancel()
    }
    request.cookies?.add(cookies)
    return try result.get()
  }

  /// Returns the request without the cookies that it shares, so that it can be compared.
  private static func bare(_ request: DocumentRequest) -> DocumentRequest {
    var request = request
    request.cookies = nil
    return request
  }

  private func take() -> Answer? {
    answer.withLock { answer in
      defer { answer = nil }
      return answer
    }
  }
}
