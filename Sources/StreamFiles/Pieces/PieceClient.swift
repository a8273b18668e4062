import Addresses
import Blocks
import Filling
package import HTTP
import Streams
package import World

/// The address of a resource of a stream, and the header fields of its requests.
package struct PiecePlace: Hashable, Sendable {
  let address: String
  /// Header fields by name. They can contain secrets, so they are only for the host of `address`.
  var headers: [String: String] = [:]

  /// The header fields, without those that are invalid or that only feedfs may set.
  var fields: [HeaderField] {
    headers.sorted { $0.key < $1.key }.compactMap { name, value in
      try? HeaderField(name: name, value: value)
    }
  }
}

extension PiecePlace {
  package init(address: String) {
    self.init(address: address, headers: [:])
  }
}

/// Requests ranges of the resources of streams.
package struct PieceClient: Sendable {
  /// The bytes of a range, and the resource that they come from.
  struct Answer: Sendable {
    let bytes: [UInt8]
    let representation: Representation
    /// The address that answered, after redirects.
    let finalURL: String
  }

  private static let tries = 3
  private static let pause: Duration = .milliseconds(300)

  let client: any NetworkClient
  /// The address of the feed as the user typed it.
  let feed: TypedAddress?
  let tasks: Tasks
  /// The cookies that the documents and pieces of one stream share.
  var cookies: CookieJar

  package init(
    client: any NetworkClient, feed: TypedAddress?, tasks: Tasks, cookies: CookieJar = CookieJar()
  ) {
    self.client = client
    self.feed = feed
    self.tasks = tasks
    self.cookies = cookies
  }

  /// Starts a request for `range`.
  ///
  /// - Parameter isMedia: false for a resource that is allowed to look like a web page, such as a
  ///   key or a text.
  func start(
    _ place: PiecePlace, _ range: ByteRange, expected: Representation? = nil,
    _ urgency: Urgency, isMedia: Bool = true
  ) -> PieceTransfer {
    PieceTransfer(
      client, request(place, range, expected: expected, urgency, isMedia: isMedia), range)
  }

  /// Starts a request for `range` of media, whose answer goes to `sink`.
  func start(
    _ place: PiecePlace, _ range: ByteRange, expected: Representation?, _ urgency: Urgency,
    for sink: any RangeSink
  ) -> TransferID {
    client.start(request(place, range, expected: expected, urgency, isMedia: true), sink: sink)
  }

  private func request(
    _ place: PiecePlace, _ range: ByteRange, expected: Representation?, _ urgency: Urgency,
    isMedia: Bool
  ) -> RangeRequest {
    var request = RangeRequest(
      url: place.address, range: .bytes(range), expected: expected, media: isMedia,
      priority: RangeRequest.Priority(urgency))
    request.isSegment = isMedia
    request.feed = feed
    request.headers = place.fields
    request.cookies = cookies
    return request
  }

  /// Returns the bytes of `range`, or fewer if the resource ends within it. Tries again after a
  /// failure that may pass.
  func read(
    _ place: PiecePlace, _ range: ByteRange, expected: Representation? = nil,
    _ urgency: Urgency = .demand, isMedia: Bool = true
  ) async throws(PieceError) -> Answer {
    if DataAddress.isOne(place.address) {
      let bytes = try Self.contents(of: place.address, limit: PlaylistLimits.line)
      return Answer(
        bytes: Array(bytes[range.clamped(to: bytes.indices)]),
        representation: Representation(length: bytes.count, validator: .none),
        finalURL: place.address)
    }
    var pause = Self.pause
    for _ in 1..<Self.tries {
      do throws(PieceError) {
        return try await once(place, range, expected: expected, urgency, isMedia: isMedia)
      } catch {
        guard error.isPassing, !Task.isCancelled else { throw error }
        var wait = pause
        if case .busy(let asked?) = error.end { wait = max(wait, min(asked, .seconds(10))) }
        // If the task is cancelled, `sleep` throws, and no further request is made.
        guard (try? await tasks.sleep(for: wait)) != nil else { throw error }
        pause *= 4
      }
    }
    return try await once(place, range, expected: expected, urgency, isMedia: isMedia)
  }

  /// Waits as long as before the second try of a request. Throws if the task is cancelled.
  func pause() async throws {
    try await tasks.sleep(for: Self.pause)
  }

  private func once(
    _ place: PiecePlace, _ range: ByteRange, expected: Representation?, _ urgency: Urgency,
    isMedia: Bool
  ) async throws(PieceError) -> Answer {
    let transfer = start(place, range, expected: expected, urgency, isMedia: isMedia)
    let answer = try await transfer.answer()
    var bytes: [UInt8] = []
    while let next = try await transfer.next() {
      if bytes.isEmpty { bytes = next } else { bytes += next }
    }
    return Answer(
      bytes: bytes, representation: answer.representation, finalURL: answer.finalURL)
  }

  private static func contents(
    of address: String, limit: Int
  ) throws(PieceError) -> [UInt8] {
    do throws(StreamError) {
      return try DataAddress.bytes(address, limit: limit)
    } catch {
      throw PieceError(any: error)
    }
  }

  /// Returns a whole document of at most `limit` bytes, and its address after redirects.
  func document(
    at place: PiecePlace, limit: Int
  ) async throws(PieceError) -> (bytes: [UInt8], url: String) {
    if DataAddress.isOne(place.address) {
      return (try Self.contents(of: place.address, limit: limit), place.address)
    }
    var request = DocumentRequest(url: place.address, limit: limit)
    request.feed = feed
    request.headers = place.fields
    request.cookies = cookies
    do throws(HTTPError) {
      let document = try await client.get(request)
      return (document.bytes, document.finalURL)
    } catch {
      throw PieceError(error)
    }
  }
}

/// Runs `body` for each of `items`, at most `most` at once, and returns the results in order.
func concurrently<Item: Sendable, Result: Sendable>(
  _ items: [Item], most: Int, _ body: @escaping @Sendable (Item) async throws -> Result
) async throws -> [Result] {
  try await withThrowingTaskGroup(of: (Int, Result).self) { group in
    var results = [Result?](repeating: nil, count: items.count)
    var next = 0
    func add() {
      guard next < items.count else { return }
      let (place, item) = (next, items[next])
      group.addTask { (place, try await body(item)) }
      next += 1
    }
    for _ in 0..<most { add() }
    while let (place, result) = try await group.next() {
      results[place] = result
      add()
    }
    return results.compactMap(\.self)
  }
}
