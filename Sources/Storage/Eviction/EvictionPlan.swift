/// What goes first when the cache is full: what no feed lists any more, then the longest unused; never
/// what is pinned.
struct EvictionPlan: Sendable {
  struct Step: Hashable, Sendable {
    let folder: String
    let name: String
    /// Whether head and tail stay.
    let keepsEnds: Bool
    /// Bytes that become free, about.
    let gain: Int
  }

  let steps: [Step]

  /// - Parameters:
  ///   - files: by folder.
  ///   - listed: for the folders of feeds that are mounted, what the names of files begin with whose
  ///     entries are listed. In other folders nothing is.
  ///   - pinned: by folder.
  init(
    _ files: [String: [CachedFile]], listed: [String: Set<String>],
    pinned: [String: PinnedNames] = [:], ends: KeptEnds
  ) {
    var steps: [(step: Step, rank: (Int, Int))] = []
    for (folder, files) in files {
      for file in files where !(pinned[folder]?.contains(file.name) ?? false) {
        let prefix = EntryKey.prefix(ofName: file.name)
        let isListed = listed[folder]?.contains(prefix) ?? false
        let gain = isListed ? file.bytes - ends.most : file.bytes
        guard gain > 0, !prefix.isEmpty else { continue }
        let isOrphan = listed[folder] != nil && !isListed
        steps.append(
          (
            Step(folder: folder, name: file.name, keepsEnds: isListed, gain: gain),
            (isOrphan ? 0 : 1, file.used)
          ))
      }
    }
    self.steps = steps.sorted { $0.rank < $1.rank }.map(\.step)
  }
}
