import Filling
package import Quantities
package import Storage

/// The settings of a mount that `config.toml` can set too, with their defaults.
package struct MountSettings: Hashable, Codable, Sendable {
  package var network = NetworkOptions()
  /// The rate limit of all origins together at the start. `feedfs limit` changes it.
  package var limitRate = Rate.unlimited
  /// True if the network is metered at the start. `feedfs metered` changes it.
  package var isMetered = false
  /// The part of a file to fetch besides its readers' read-ahead.
  package var fill = FillPolicy.window
  /// When origins are asked for sizes that are not known.
  package var sizes = SizePolicy.probe
  /// The free space below which nothing is cached.
  package var minFree = FreeSpaceRule.standard
  package var cacheSize = CacheSize.standard
  /// True if the kernel is allowed to read complete files by passthrough, if it supports that.
  package var passesThrough = true
  /// The limit in bytes for a body whose length is not known.
  package var maxGrowth = FillRules().growth.maxGrowth
  package var logLevel = LogLevel.info

  /// The defaults.
  package init() {}
}

extension FillPolicy {
  /// The playing time after which the whole file is fetched; nil for never.
  var wholeAfter: Duration? {
    switch self {
    case .window: nil
    case .rest: .seconds(60)
    case .all: .zero
    }
  }
}
