/// The name of a feed's folder, where it is one of several in a mount.
package enum FolderName {
  private static let longest = 120  // bytes

  /// - Parameters:
  ///   - title: what the user or the feed says.
  ///   - taken: the names of the other folders.
  package static func name(_ title: String, besides taken: Set<String>) -> String {
    let name = FileTitle.of(title, limit: longest)
    let all = (2...).lazy.map { "\(name) (\($0))" }
    guard taken.contains(name) else { return name }
    return all.first { !taken.contains($0) } ?? name
  }
}
