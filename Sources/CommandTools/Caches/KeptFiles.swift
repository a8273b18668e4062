package import Control

/// The cached files of each cache, as JSON: `KeptFiles` in docs/control.md.
package struct KeptFiles: Encodable {
  package struct Cache: Encodable {
    /// The mount point; nil if the cache is not mounted.
    package let mountPoint: String?
    package let path: String
    package let files: [CacheItem]

    package init(mountPoint: String?, path: String, files: [CacheItem]) {
      self.mountPoint = mountPoint
      self.path = path
      self.files = files
    }
  }

  let schema = 1
  let caches: [Cache]

  package init(caches: [Cache]) {
    self.caches = caches
  }
}
