/// Which requests meet which fault: decided here, done by the connection.
struct FaultPlan: Sendable {
  private var rules: [Rule] = []
  /// How often the faults were cleared: whoever waits since an earlier one is released.
  private(set) var clearings = 0
  /// Whether what the last clearing released goes on; otherwise it is reset.
  private(set) var resumes = false

  /// Aims a fault at requests.
  struct Rule: Sendable {
    let fault: Fault
    let pathPrefix: String
    let method: String?
    /// Where the range that is asked for must start.
    let starts: Range<Int>
    /// Uses that are left; negative: no end.
    var times: Int

    init(_ query: [String: String]) throws(ControlError) {
      fault = try Fault(query)
      guard let path = query["path"] else { throw ControlError("path is missing") }
      pathPrefix = path
      method = query["method"]
      let from = max(0, try query.number("from") ?? 0)
      starts = from..<max(from, try query.number("until") ?? .max)
      times = try query.number("times") ?? -1
    }

    func matches(_ request: Request, start: Int) -> Bool {
      times != 0 && request.target.path.hasPrefix(pathPrefix) && starts.contains(start)
        && (method ?? request.method) == request.method && fault.concerns(request.method)
    }
  }

  mutating func add(_ rule: Rule) {
    rules.append(rule)
  }

  mutating func clear(resuming: Bool) {
    rules = []
    clearings += 1
    resumes = resuming
  }

  /// The oldest fault that meets the request, which is used up by one.
  ///
  /// - Parameter start: the first byte that the intact response would send.
  mutating func take(for request: Request, start: Int) -> Fault? {
    guard let index = rules.firstIndex(where: { $0.matches(request, start: start) }) else {
      return nil
    }
    if rules[index].times > 0 { rules[index].times -= 1 }
    return rules[index].fault
  }
}
