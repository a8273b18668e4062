/// When origins are asked for the exact sizes of files.
package enum SizePolicy: String, Hashable, Codable, CaseIterable, Sendable {
  /// Soon after the mount is made, one file after the other, in the background.
  case probe
  /// Each file when it is opened.
  case open
}
