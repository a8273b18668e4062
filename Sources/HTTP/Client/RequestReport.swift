/// One request that is over, and what came of it. No text in it holds a secret.
package struct RequestReport: Sendable, CustomStringConvertible {
  /// Without userinfo, query and fragment.
  package let url: String
  /// As the Range field has it; nil: the whole was asked for.
  package let range: String?
  /// Nil: no head came.
  package let status: Int?
  /// Bytes of the body.
  package let bytes: Int
  package let time: Duration
  /// Whether a connection was made for it; nil: it got none.
  package let isConnectionNew: Bool?
  /// How it ended.
  package private(set) var end: String

  func ended(_ end: String) -> RequestReport {
    var report = self
    report.end = end
    return report
  }

  package var description: String {
    let connection = isConnectionNew.map { $0 ? "new connection" : "kept connection" }
    return [
      "GET \(url)", range, status.map { "status \($0)" } ?? "no answer", "\(bytes) bytes",
      "\(Int(time / .milliseconds(1))) ms", connection ?? "no connection", end,
    ].compactMap(\.self).joined(separator: ", ")
  }
}

extension Transfer {
  /// A report of the hop that is over; made before libcurl's handle of it is gone.
  func report(_ end: String) -> RequestReport? {
    guard let started, let easy else { return nil }
    let isNew = easy.connectionsMade > 0
    return RequestReport(
      url: shown(url.text),
      range: exchange.fields.first { $0.hasPrefix("Range: ") }.map { String($0.dropFirst(7)) },
      status: status, bytes: bodyBytes, time: .now - started,
      isConnectionNew: isNew || status != nil ? isNew : nil, end: end)
  }
}

extension Transfer.HopEnd {
  /// In words, for the log.
  var words: String {
    switch self {
    case .redirect(let url, _): "redirects to \(shown(url.text))"
    case .untrusted: "not sent: its connection is not trusted"
    case .end(.complete): "complete"
    case .end(.cancelled): "cancelled"
    case .end(.notModified): "not modified"
    case .end(.changed): "another version"
    case .end(.unsatisfiable): "out of range"
    case .end(let end): end.trouble ?? "\(end)"
    }
  }
}
