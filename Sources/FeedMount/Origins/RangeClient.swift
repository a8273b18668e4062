import HTTP

/// A client that asks origins for ranges: `HTTPClient`, as far as a version needs it.
protocol RangeClient: Sendable {
  func start(_ request: RangeRequest, sink: any RangeSink) -> TransferID
  func cancel(_ id: TransferID)
  func promote(_ id: TransferID)
}

extension HTTPClient: RangeClient {}
