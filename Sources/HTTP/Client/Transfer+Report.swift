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
