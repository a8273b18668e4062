/// The way in which the files of a feed are named.
package enum FileNaming: String, Hashable, Codable, CaseIterable, Sendable {
  /// By the entry's number: "0001.mp4".
  case number
  /// By the title that the entry had when it first appeared.
  case title
  /// By the name that the file has at its origin.
  case origin
}
