/// Which requests meet which fault: decided here, done by the connection.
struct FaultPlan: Sendable {
  private var rules: [Rule] = []
  /// Below which paths faults were cleared, in order: who waits there since an earlier time is
  /// released.
  private var cleared: [String] = []
  /// Whether what the last clearing released goes on; otherwise it is reset.
  private(set) var resumes = false

  /// Aims a fault at requests.
  struct Rule: Sendable {
    let fault: Fault
    let pathPrefix: String
    let method: String?
    /// Where the range that is asked for must start.
    let starts: Range<Int>
    /// The byte of the representation that must be in the answer, and at which it happens, unless that
    /// is before the head.
    let offset: Int?
    /// Uses that are left; negative: no end.
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

    /// The fault as it meets an answer of `bytes`.
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

  /// How often faults were cleared.
  var clearings: Int { cleared.count }

  /// Whether those of `path` were cleared since there had been so many clearings.
  func isCleared(_ path: String, since clearings: Int) -> Bool {
    cleared.dropFirst(clearings).contains { path.hasPrefix($0) }
  }

  /// The oldest fault that meets the request, which is used up by one.
  ///
  /// - Parameter bytes: what the intact response would send.
  mutating func take(for request: Request, _ bytes: Range<Int>) -> Fault? {
    guard let index = rules.firstIndex(where: { $0.matches(request, bytes) }) else {
      return nil
    }
    if rules[index].times > 0 { rules[index].times -= 1 }
    return rules[index].fault(in: bytes)
  }
}
