/// What `prune` takes away, besides what no feed lists any more and versions that were replaced.
package struct PruneRule: Hashable, Sendable {
  /// What was not used for so many seconds; nil: nothing for that reason.
  package var unusedFor: Int?
  /// What would go first, until all feeds together take up so many bytes; nil: nothing for that reason.
  package var bytes: Int?
  /// Whether it is only said what would go.
  package var isRehearsal = false

  package init() {}
}
