package import Control

extension MountStatus {
  /// Returns this status with only the feed whose folder is `folder`, and only its files; nil if no
  /// feed has that folder.
  package func feed(in folder: String) -> MountStatus? {
    guard !folder.isEmpty, feeds.contains(where: { $0.folder == folder }) else { return nil }
    var part = self
    part.feeds = feeds.filter { $0.folder == folder }
    part.files = files.filter { $0.name.hasPrefix(folder + "/") }
    return part
  }
}
