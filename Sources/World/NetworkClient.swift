package import HTTP

/// A client that asks origins for ranges. It has the part of `HTTPClient` that an entry's version
/// needs.
package protocol RangeClient: Sendable {
  func start(_ request: RangeRequest, sink: any RangeSink) -> TransferID
  func cancel(_ id: TransferID)
  func promote(_ id: TransferID)

  /// Returns how many further requests to the origin of `url` would find an open connection.
  func spareConnections(to url: String) -> Int
}

/// A client that asks for whole documents. It has the part of `HTTPClient` that feeds and sidecars
/// need.
package protocol DocumentClient: Sendable {
  /// Fetches a document. If the calling task is cancelled, the request ends, and `cancelled` is
  /// thrown.
  func get(_ request: DocumentRequest) async throws(HTTPError) -> Document
}

package typealias NetworkClient = DocumentClient & RangeClient

extension HTTPClient: NetworkClient {}
