/// When origins are asked for the exact sizes of files.
package enum SizePolicy: String, Hashable, Codable, CaseIterable, Sendable {
  /// Soon after the mount, one after the other, in the background.
  case probe
  /// When a file is opened.
  case open
}
