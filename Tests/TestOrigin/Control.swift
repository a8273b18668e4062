import Locks

/// The control requests by which a test steers and queries the origin.
///
///     GET  /__log     path            the requests since the last reset
///     GET  /__stats                   their totals
///     GET  /__wait    path requests bytes idle=1 timeout_ms    answers when these are reached
///     POST /__reset                   forgets the requests
///     POST /__network latency_ms connect_ms rate               see `NetworkModel`
///     POST /__version path version etag=strong|weak|none last_modified=none cache_control
///     POST /__fault   path kind times at method from until offset …  see `Fault`, `FaultPlan.Rule`
///     POST /__clear   path resume=1   forgets the faults, releases the responses that wait
///     POST /__listen  on=0|1          refuses connections, or accepts them again
///     PUT  /__put/PATH                serves the body at /PATH; DELETE removes it
///
/// Parameters are those of the query; every `path` is a prefix.
struct Control {
  let origin: Origin
  /// The connection of the request.
  let socket: Socket

  func response(to request: Request) -> Response {
    do throws(ControlError) {
      return try answer(to: request)
    } catch {
      return Response(status: 400, type: "text/plain", text: error.message + "\n")
    }
  }

  private func answer(to request: Request) throws(ControlError) -> Response {
    let query = request.target.query
    let path = request.target.path
    switch (request.method, path) {
    case ("GET", "/__log"): return json(origin.log.json(below: query["path"] ?? "/"))
    case ("GET", "/__stats"): return json(origin.log.statistics)
    case ("GET", "/__wait"): try wait(query)
    case ("POST", "/__reset"): origin.log.reset()
    case ("POST", "/__network"): try setNetwork(query)
    case ("POST", "/__version"): try setTraits(query)
    case ("POST", "/__fault"):
      let rule = try FaultPlan.Rule(query)
      origin.faults.withLock { $0.add(rule) }
    case ("POST", "/__clear"):
      origin.clearFaults(below: query["path"] ?? "/", resuming: query["resume"] == "1")
    case ("POST", "/__listen"): try listen(query["on"])
    case ("PUT", _) where path.hasPrefix("/__put/"):
      put(request, at: String(path.dropFirst("/__put".count)))
    case ("DELETE", _) where path.hasPrefix("/__put/"):
      guard origin.site.remove(String(path.dropFirst("/__put".count))) else {
        throw ControlError("nothing was put at \(path)")
      }
    default: throw ControlError("no such control request: \(request.method) \(path)")
    }
    return Response(status: 200, type: "text/plain", text: "ok\n")
  }

  private func json(_ value: JSON) -> Response {
    Response(status: 200, type: "application/json", text: value.text + "\n")
  }

  private func wait(_ query: [String: String]) throws(ControlError) {
    let condition = RequestLog.Condition(
      pathPrefix: query["path"] ?? "/", requests: try query.number("requests") ?? 0,
      bytesSent: try query.number("bytes") ?? 0, isIdle: query["idle"] == "1")
    let timeout = Duration.milliseconds(try query.number("timeout_ms") ?? 10_000)
    guard origin.log.wait(for: condition, until: .now + timeout, on: socket) else {
      throw ControlError("it did not come to that within \(timeout)")
    }
  }

  private func setNetwork(_ query: [String: String]) throws(ControlError) {
    let latency = try query.number("latency_ms").map { Duration.milliseconds(max(0, $0)) }
    let connect = try query.number("connect_ms").map { Duration.milliseconds(max(0, $0)) }
    let rate = try query.number("rate").map { max(0, $0) }
    origin.network.withLock { network in
      network.latency = latency ?? network.latency
      network.connect = connect ?? network.connect
      network.rate = rate ?? network.rate
    }
  }

  private func setTraits(_ query: [String: String]) throws(ControlError) {
    guard let path = query["path"], let traits = Traits(query) else {
      throw ControlError("needs path, and of version, etag=strong|weak|none, last_modified=none")
    }
    origin.site.set(traits, below: path)
  }

  private func listen(_ on: String?) throws(ControlError) {
    if on == "0" { return origin.stopListening(sparing: socket.number) }
    guard origin.listenAgain() else { throw ControlError("cannot listen: \(errnoText())") }
  }

  /// Stores a document with the fields `X-Set-NAME: value`; an empty tag or date means none.
  private func put(_ request: Request, at path: String) {
    let type = request.headers["Content-Type"] ?? MediaType.any(path)
    var resource = Resource(document: request.body, type: type, modified: HTTPDate.now)
    for field in request.headers.fields where field.name.lowercased().hasPrefix("x-set-") {
      let name = String(field.name.dropFirst("x-set-".count))
      switch name.lowercased() {
      case "etag": resource.etag = field.value.isEmpty ? nil : field.value
      case "last-modified": resource.lastModified = HTTPDate.seconds(field.value)
      default: resource.extra.add(name, field.value)
      }
    }
    origin.site.put(resource, at: path)
  }
}
