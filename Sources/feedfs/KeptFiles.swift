import Control

/// What is kept where, as JSON: `KeptFiles` in docs/control.md.
struct KeptFiles: Encodable {
  struct Cache: Encodable {
    /// Nil: it is not mounted.
    let mountPoint: String?
    let path: String
    let files: [CacheItem]
  }

  let schema = 1
  let caches: [Cache]
}
