/// When origins are asked for the exact sizes of files.
package enum SizePolicy: String, Hashable, Codable, CaseIterable, Sendable {
  /// Origins are asked soon after the mount is made: for one file after the other, in the
  /// background.
  case probe
  /// The origin of a file is asked when the file is opened.
  case open
}
