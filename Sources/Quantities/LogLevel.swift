/// The least severe level that is logged.
package enum LogLevel: String, Hashable, Codable, CaseIterable, Sendable {
  case error, warning, info, debug
}
