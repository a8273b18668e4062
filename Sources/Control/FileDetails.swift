package import Blocks

/// Everything that a mount knows about one file.
package struct FileDetails: Hashable, Codable, Sendable {
  package var schema = 2
  package var mode: NetworkMode
  package var file: FileStatus
  /// The file's name in the folder `by-title`; its usual name if there is no such folder.
  package var titleName: String
  /// The entry's identifier in the feed. If it is an address, the parts that can be secret are left
  /// out.
  package var id: String
  /// The address from which the file is fetched, without userinfo, query and fragment.
  package var url: String
  /// The height of the video in lines, as the feed says, or else as its address, bit rate or size
  /// suggests; null if unknown.
  package var height: Int?
  /// The kind of stream that the file is made of, "HLS" or "DASH"; null if `url` is the address of
  /// a file.
  package var streamKind: String?
  /// The reason why the file is fetched from `url`, and not from another address of the feed.
  package var choice: String?
  /// The number of other addresses that the feed has for the file.
  package var alternates: Int
  /// The address of the entry's web page, without userinfo, query and fragment; null if there is
  /// none.
  package var link: String?
  /// The file's media type, as its origin says, or else as the feed says.
  package var type: String?
  /// The time when the entry was published, in seconds since 1970.
  package var published: Int?
  /// The entity tag or the Last-Modified of the known version.
  package var validator: String?
  /// The time when the origin last confirmed the known version, in seconds since 1970.
  package var checked: Int?
  /// The stream that the file is made from; null if the origin has a file instead, or if that is
  /// not known.
  package var stream: StreamDetails?
  /// True if the origin can send the file only from its beginning on.
  package var lacksRanges: Bool
  /// The processes that have the file open, as far as the asking user is allowed to see them. Null
  /// if the mount does not know. Then `feedfs status` looks for them itself.
  package var processes: [ProcessStatus]?

  package init(mode: NetworkMode, file: FileStatus, titleName: String, id: String, url: String) {
    self.mode = mode
    self.file = file
    self.titleName = titleName
    self.id = id
    self.url = url
    alternates = 0
    lacksRanges = false
  }
}

/// The stream that a file is made from.
package struct StreamDetails: Hashable, Codable, Sendable {
  /// The tracks that were chosen, and why; null before the stream was looked at.
  package var choice: String?
  /// One line of text for each track, such as "h264, 1280 × 720".
  package var tracks: [String]
  /// The number of slots in the file.
  package var slots: Int

  package init(choice: String?, tracks: [String], slots: Int) {
    self.choice = choice
    self.tracks = tracks
    self.slots = slots
  }
}

/// A process that has a file open.
package struct ProcessStatus: Hashable, Codable, Sendable {
  package var pid: Int
  package var program: String
  /// The number of times that the process has the file open.
  package var descriptors: Int

  package init(pid: Int, program: String, descriptors: Int) {
    self.pid = pid
    self.program = program
    self.descriptors = descriptors
  }
}
