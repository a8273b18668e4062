import Control
import Catalog
import Storage
import SystemPackage

/// Lists the cached files.
extension CacheAdmin {
  var listing: CacheListing {
    CacheListing(
      path: place.string, feeds: members.map(\.feed.cache.name),
      files: members.flatMap(items) + oldFiles)
  }

  /// The current path of the cache directory, which might have been moved since the mount.
  var place: FilePath {
    members.lazy.compactMap(\.feed.cache.root).first ?? directory
  }

  private func items(of member: Member) -> [CacheItem] {
    let versions = member.feed.cache.versions()
    let byEntry = Dictionary(grouping: versions) { $0.key?.entry }
    let listed = member.catalog.listed.compactMap { entry -> CacheItem? in
      let versions = byEntry[entry.key] ?? []
      guard !versions.isEmpty || member.feed.isWanted(entry) else { return nil }
      return item(entry, versions, of: member)
    }
    let orphans = Dictionary(grouping: orphans(of: member)) { Self.orphanName(of: $0.name) }
    return listed
      + orphans.sorted { $0.key < $1.key }.map { name, versions in
        var item = CacheItem(name: member.prefix + name, title: "", isListed: false)
        item.note(versions)
        return item
      }
  }

  private func item(
    _ entry: CatalogEntry, _ versions: [CachedVersion], of member: Member
  ) -> CacheItem {
    var item = CacheItem(
      name: member.prefix + entry.name, title: entry.title, isPinned: entry.isPinned)
    item.isKept = member.feed.keeps(entry.number) ? true : nil
    item.note(versions)
    item.cached = member.feed.cachedBytes(of: entry)
    item.size = entry.known?.length ?? entry.claimedLength
    let name = member.feed.name(of: entry)
    item.path = versions.first { $0.name == name }
      .map { member.feed.cache.dataPath(of: $0.name).string }
    return item
  }
}

extension CacheItem {
  fileprivate mutating func note(_ versions: [CachedVersion]) {
    stored = versions.reduce(0) { $0 + $1.stored }
    used = versions.map(\.used).max()
  }
}
