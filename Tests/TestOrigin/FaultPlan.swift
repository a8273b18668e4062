/// Decides which requests meet which fault; the connection carries the fault out.
struct FaultPlan: Sendable {
  private var rules: [Rule] = []
  /// The path prefixes of all clearings, in order. A clearing releases the responses below its path
  /// that began to wait before it.
  private var cleared: [String] = []
  /// True when the last clearing lets the responses that it releases continue; otherwise they are
  /// reset.
  private(set) var resumes = false

  /// A fault and the requests that it is for.
  struct Rule: Sendable {
    let fault: Fault
    let pathPrefix: String
    let method: String?
    /// The range in which the first byte of the answer must lie.
    let starts: Range<Int>
    /// The byte of the representation that the answer must contain. The fault happens at this byte,
    /// unless it happens before the head.
    let offset: Int?
    /// The uses left; negative: unlimited.
    var times: Int

    init(_ query: [String: String]) throws(ControlError) {
      fault = try Fault(query)
      guard let path = query["path"] else { throw ControlError("path is missing") }
      pathPrefix = path
      method = query["method"]
      let from = max(0, try query.number("from") ?? 0)
      starts = from..<max(from, try query.number("until") ?? .max)
      offset = try query.number("offset")
      times = try query.number("times") ?? -1
    }

    func matches(_ request: Request, _ bytes: Range<Int>) -> Bool {
      times != 0 && request.target.path.hasPrefix(pathPrefix) && starts.contains(bytes.lowerBound)
        && offset.map(bytes.contains) ?? true
        && (method ?? request.method) == request.method && fault.concerns(request.method)
    }

    /// The fault with its place in an answer of `bytes`.
    func fault(in bytes: Range<Int>) -> Fault {
      guard let offset, fault.at != nil else { return fault }
      return Fault(fault, at: offset - bytes.lowerBound)
    }
  }

  mutating func add(_ rule: Rule) {
    rules.append(rule)
  }

  mutating func clear(below path: String, resuming: Bool) {
    rules.removeAll { $0.pathPrefix.hasPrefix(path) }
    cleared.append(path)
    resumes = resuming
  }

  /// The number of clearings so far.
  var clearings: Int { cleared.count }

  /// True when the faults of `path` were cleared after the first `clearings` clearings.
  func isCleared(_ path: String, since clearings: Int) -> Bool {
    cleared.dropFirst(clearings).contains { path.hasPrefix($0) }
  }

  /// Returns the oldest fault that matches the request, and uses it up by one.
  ///
  /// - Parameter bytes: the bytes that the intact response would send.
  mutating func take(for request: Request, _ bytes: Range<Int>) -> Fault? {
    guard let index = rules.firstIndex(where: { $0.matches(request, bytes) }) else {
      return nil
    }
    if rules[index].times > 0 { rules[index].times -= 1 }
    return rules[index].fault(in: bytes)
  }
}
