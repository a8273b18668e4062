/// Why a configuration file says nothing.
package struct SettingsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// From 1.
  package let line: Int?
  /// What is wrong, and what to do.
  package let reason: String

  package var description: String {
    line.map { "line \($0): \(reason)" } ?? reason
  }
}
