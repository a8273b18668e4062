/// All that a mount knows of one file.
package struct FileDetails: Hashable, Codable, Sendable {
  package var schema = 1
  package var mode: Mode
  package var file: FileStatus
  /// Its name in `by-title`.
  package var titleName: String
  /// What the feed calls it; of an address, without what may be secret in it.
  package var id: String
  /// Where it is fetched from, without userinfo, query and fragment.
  package var url: String
  /// How many other addresses the feed has for it.
  package var alternates: Int
  /// The page that it is about, without userinfo, query and fragment.
  package var link: String?
  /// Of media, as its origin or else the feed says.
  package var type: String?
  /// Seconds since 1970.
  package var published: Int?
  /// Of the version that is known: its entity tag or date.
  package var validator: String?
  /// When the origin last said that this is the version; seconds since 1970.
  package var checked: Int?
  /// The origin sends it from its beginning on only.
  package var lacksRanges: Bool
  /// Who has it open, as far as who asks may see that; null: the mount does not know, `feedfs status`
  /// looks.
  package var processes: [ProcessStatus]?

  package init(mode: Mode, file: FileStatus, titleName: String, id: String, url: String) {
    self.mode = mode
    self.file = file
    self.titleName = titleName
    self.id = id
    self.url = url
    alternates = 0
    lacksRanges = false
  }
}

/// A process that has a file open.
package struct ProcessStatus: Hashable, Codable, Sendable {
  package var pid: Int
  package var program: String
  /// How often it has the file open.
  package var descriptors: Int

  package init(pid: Int, program: String, descriptors: Int) {
    self.pid = pid
    self.program = program
    self.descriptors = descriptors
  }
}
