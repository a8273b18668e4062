/// The least severe level of messages that are logged.
package enum LogLevel: String, Hashable, Codable, CaseIterable, Sendable {
  case error, warning, info, debug
}
