/// The way in which the files of a feed are named.
package enum FileNaming: String, Hashable, Codable, CaseIterable, Sendable {
  /// The entry's number: "0001.mp4".
  case number
  /// The entry's title when it first appeared.
  case title
  /// The name that the file has at its origin.
  case origin
}
