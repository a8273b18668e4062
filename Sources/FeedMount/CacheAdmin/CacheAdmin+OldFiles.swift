import Control
import Storage
import SystemPackage

/// Lists and removes files of formats that are not read any more.
extension CacheAdmin {
  private struct Place {
    let directory: FilePath
    /// The prefix of the names of the directory's files in lists.
    let prefix: String
  }

  private var places: [Place] {
    members.flatMap { member in
      [member.feed.cache.place, member.feed.directory].compactMap(\.self).map {
        Place(directory: $0, prefix: member.prefix)
      }
    } + stateOfAll.map { Place(directory: $0, prefix: "") }
  }

  var oldFiles: [CacheItem] {
    places.flatMap { place in
      OldFile.all(in: place.directory).map { file in
        var row = CacheItem(name: place.prefix + file.name, title: "", isListed: false)
        row.stored = file.bytes
        row.used = file.modified
        return row
      }
    }
  }

  /// Removes the old files. A rehearsal removes nothing, and only names them.
  func pruneOld(isRehearsal: Bool, _ outcome: inout CacheOutcome) {
    for place in places {
      for file in OldFile.all(in: place.directory) {
        guard isRehearsal || file.remove(from: place.directory) else { continue }
        outcome.files.append(place.prefix + file.name)
        outcome.freed += file.bytes
      }
    }
  }
}
