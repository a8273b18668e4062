import Addresses

/// One finished request and its outcome. No text in it contains a secret.
package struct RequestReport: Sendable, CustomStringConvertible {
  /// The address without userinfo, query and fragment.
  package let url: String
  /// The value of the Range field; nil if the request had none.
  package let range: String?
  /// The status of the answer; nil if no head came.
  package let status: Int?
  /// The number of bytes of the body that came.
  package let bytes: Int
  package let time: Duration
  /// Whether the request got a new connection; nil if it got no connection at all.
  package let isConnectionNew: Bool?
  /// The outcome in words.
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
  /// Returns the report of the current hop. Must be called before `easy` is set to nil, because the
  /// facts are in that handle.
  func report(_ end: String) -> RequestReport? {
    guard let started, let easy else { return nil }
    let isNew = easy.connectionsMade > 0
    return RequestReport(
      url: WebAddress.shown(url.text),
      range: question?.fields.first { $0.hasPrefix("Range: ") }.map { String($0.dropFirst(7)) },
      status: status, bytes: bodyBytes, time: .now - started,
      isConnectionNew: isNew || status != nil ? isNew : nil, end: end)
  }
}

extension Transfer.HopEnd {
  /// The end in words, for the log.
  var words: String {
    switch self {
    case .redirect(let url, _): "redirects to \(WebAddress.shown(url.text))"
    case .untrusted: "not sent: libcurl chose a connection that must not be used"
    case .unvouched: "not sent: no CA in the system's file has signed the certificate"
    case .challenged(let scheme): "the server wants a password (\(scheme.rawValue))"
    case .again: "feedfs asks once more"
    case .end(.complete): "complete"
    case .end(.cancelled): "cancelled"
    case .end(.notModified): "not modified"
    case .end(.changed): "another version"
    case .end(.doubted): "another ETag"
    case .end(.unsatisfiable): "the range is beyond the end"
    case .end(let end): end.trouble ?? "\(end)"
    }
  }
}
