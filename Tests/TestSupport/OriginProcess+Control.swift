import FoundationEssentials

extension OriginProcess {
  /// Returns the requests below a path since the last reset, in the order of arrival.
  package func log(below path: String = "/") throws -> [LoggedRequest] {
    let body = try control("GET", "/__log", ["path": path])
    return try JSONDecoder().decode([LoggedRequest].self, from: Data(body))
  }

  package func statistics() throws -> OriginStatistics {
    try JSONDecoder().decode(OriginStatistics.self, from: Data(control("GET", "/__stats")))
  }

  /// Forgets the log.
  package func reset() throws {
    try control("POST", "/__reset")
  }

  /// Waits until the requests below a path reach these totals of requests and body bytes and, if
  /// `idle`, have all ended.
  ///
  /// - Throws: if that takes longer than `timeout`, which is 50 s at most.
  package func wait(
    requests: Int = 0, bytes: Int = 0, idle: Bool = false, below path: String = "/",
    timeout: Duration = .seconds(10)
  ) throws {
    try control(
      "GET", "/__wait",
      [
        "path": path, "requests": String(requests), "bytes": String(bytes),
        "idle": idle ? "1" : "0", "timeout_ms": String(Int(timeout / .milliseconds(1))),
      ])
  }

  /// Serves a document at `path` from now on.
  ///
  /// - Parameter headers: extra fields; an empty `ETag` or `Last-Modified` means none.
  package func put(
    _ document: String, at path: String, type: String, headers: [String: String] = [:]
  ) throws {
    try put(Array(document.utf8), at: path, type: type, headers: headers)
  }

  package func put(
    _ document: [UInt8], at path: String, type: String, headers: [String: String] = [:]
  ) throws {
    var fields = ["Content-Type": type]
    for (name, value) in headers { fields["X-Set-\(name)"] = value }
    try control("PUT", "/__put" + path, fields: fields, body: document)
  }

  /// Removes the document that was put at `path`.
  package func remove(_ path: String) throws {
    try control("DELETE", "/__put" + path)
  }

  /// Adds a fault for requests below `path`; of several that match, the oldest comes first.
  ///
  /// - Parameters:
  ///   - times: the number of uses; -1: until it is cleared.
  ///   - after: the bytes of the body before the fault; nil: before the head.
  ///   - method: limits the fault to requests with this method.
  ///   - starts: limits the fault to answers whose first byte lies in this range.
  ///   - offset: limits the fault to answers with this byte of the file. A fault in the body then
  ///     happens at this byte, and `after` only says that it is one in the body.
  ///   - parameters: further parameters of this kind, named as in the control request.
  package func fault(
    _ kind: OriginFault, below path: String, times: Int = -1, after: Int? = nil,
    method: String? = nil, starts: Range<Int>? = nil, offset: Int? = nil,
    _ parameters: [String: String] = [:]
  ) throws {
    var query = parameters
    query["kind"] = kind.rawValue
    query["path"] = path
    query["times"] = String(times)
    query["at"] = after.map { String($0) }
    query["method"] = method
    query["offset"] = offset.map { String($0) }
    query["from"] = starts.map { String($0.lowerBound) }
    query["until"] = starts.map { String($0.upperBound) }
    try control("POST", "/__fault", query)
  }

  /// Removes the faults below a path. Responses that wait because of one are reset, or continue if
  /// `resume`.
  package func clear(below path: String = "/", resume: Bool = false) throws {
    try control("POST", "/__clear", ["path": path, "resume": resume ? "1" : "0"])
  }

  /// Serves another version below `path`: `version` is added to the seed of generated content,
  /// which changes bytes, tag and date. The first version is 0.
  package func version(_ version: UInt64, below path: String) throws {
    try control("POST", "/__version", ["path": path, "version": String(version)])
  }

  /// Sets the metadata of the resources below a path.
  ///
  /// - Parameters:
  ///   - etag: `strong`, `weak` or `none`.
  ///   - lastModified: whether answers have a Last-Modified.
  ///   - cacheControl: the value of Cache-Control.
  package func describe(
    below path: String, etag: String? = nil, lastModified: Bool? = nil,
    cacheControl: String? = nil
  ) throws {
    var query = ["path": path]
    query["etag"] = etag
    query["last_modified"] = lastModified.map { $0 ? "sent" : "none" }
    query["cache_control"] = cacheControl
    try control("POST", "/__version", query)
  }

  /// Changes the network model; nil leaves a value unchanged.
  ///
  /// - Parameters:
  ///   - latency: the delay before the first byte of each response.
  ///   - connect: an extra delay for the first request of a connection.
  ///   - rate: bytes a second per connection; 0: no limit.
  package func network(
    latency: Duration? = nil, connect: Duration? = nil, rate: Int? = nil
  ) throws {
    var query: [String: String] = [:]
    query["latency_ms"] = latency.map { String(Int($0 / .milliseconds(1))) }
    query["connect_ms"] = connect.map { String(Int($0 / .milliseconds(1))) }
    query["rate"] = rate.map { String($0) }
    try control("POST", "/__network", query)
  }

  /// Refuses new connections and ends all but the control connection.
  package func stopListening() throws {
    try control("POST", "/__listen", ["on": "0"])
  }

  /// Accepts connections again, on the same port.
  package func listenAgain() throws {
    try control("POST", "/__listen", ["on": "1"])
  }
}
