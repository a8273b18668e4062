package import Storage

/// The settings of a mount that `config.toml` can make too, as values; each default stands here.
package struct MountSettings: Hashable, Codable, Sendable {
  package var network = NetworkOptions()
  /// The limit of all origins together at the start; `feedfs limit` changes it.
  package var limitRate = Rate.unlimited
  /// The part of a file to fetch beyond its readers' read-ahead.
  package var fill = FillPolicy.window
  /// The free space below which nothing is cached.
  package var minFree = FreeSpaceRule.standard
  package var cacheSize = CacheSize.standard
  /// Whether the kernel may read complete files by itself, where it can.
  package var passesThrough = true
  package var logLevel = LogLevel.info

  /// The defaults.
  package init() {}
}
