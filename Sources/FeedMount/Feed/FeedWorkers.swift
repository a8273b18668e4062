import World

/// The parts of one mounted feed that act on the feed's events.
struct FeedWorkers: Sendable {
  let choice: FeedChoice
  /// The range of the feed's inodes in the mount.
  let space: InodeSpace
  let live: LiveCatalog
  let saver: CatalogSaver
  let refresher: FeedRefresher
  let sidecars: SidecarFiles
  let keeper: Keeper
  /// Resolves the web pages of the entries that come next; nil if the feed's web pages are not
  /// resolved.
  let ahead: PagesAhead?
  /// Runs work that waits for the disk.
  let chores: any JobQueue
}
