import Addresses
import Markup

/// Makes the ids that distinguish the entries of a feed.
package enum EntryIdentity {
  /// Distinguishes entries with the same id by their media.
  ///
  /// All entries that share an id get a hash of their media's address behind the id, so no id
  /// depends on the order. If several of them have the same media, the first one is listed and the
  /// others are skipped.
  ///
  /// - Parameters:
  ///   - hashes: the hashes of the ids of all entries.
  ///   - names: the addresses that identify entries, by the places of the entries. An entry without
  ///     such an address is identified by `bestURL`.
  static func resolveDuplicates(
    _ entries: inout PackedArray<Entry>, hashes: [Int], names: [Int: String]
  ) {
    var (seen, twins): (Set<Int>, Set<Int>) = ([], [])
    seen.reserveCapacity(hashes.count)
    for hash in hashes where !seen.insert(hash).inserted { twins.insert(hash) }
    guard !twins.isEmpty else { return }
    let shared = hashes.indices.filter { twins.contains(hashes[$0]) }
    let byID = Dictionary(grouping: shared) { entries[$0].id }
    for indices in byID.values where indices.count > 1 {
      let urls = indices.map {
        (names[$0] ?? entries[$0].bestURL).map(WebAddress.identity) ?? ""
      }
      let isShared = Set(urls).count == 1
      var seen: Set<String> = []
      for (index, url) in zip(indices, urls) {
        if !isShared, !url.isEmpty { entries[index].id += "#" + digits(of: url) }
        if !seen.insert(url).inserted { entries[index].skip(.duplicate) }
      }
    }
  }

  /// Returns a short hash for one of very many texts. It is valid in this process only. Different
  /// texts hardly ever share a hash. No feed can bring that about, because the hash depends on a
  /// secret of the process.
  @inlinable package static func hash(of text: String) -> Int { text.hashValue }

  /// Returns the fingerprint of `text` as sixteen hexadecimal digits.
  static func digits(of text: String) -> String {
    let digits = String(text.fingerprint, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension Entry {
  /// The address of the media to play, or else of the best alternate.
  var bestURL: String? { media?.url ?? alternates.first?.url }

  /// Marks the entry as no file. If the entry has a reason already, that reason stays.
  mutating func skip(_ omission: Omission) {
    if skipped == nil { (skipped, option) = (omission.reason, omission.option) }
    if let media {
      alternates.insert(media, at: 0)
      self.media = nil
    }
  }
}
