/// When origins are asked for the sizes of files that nobody has said exactly.
package enum SizePolicy: String, Hashable, Codable, CaseIterable, Sendable {
  /// Soon after the mount, one after the other, without being asked for.
  case probe
  /// When a file is opened.
  case open
}
