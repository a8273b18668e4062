import Catalog
import FeedReading
import Locks
import Resolving
import World

/// Resolves the web pages of the entries that come next, so that these entries start to play at
/// once.
///
/// Safe from any thread. Takes no other lock while it holds its own.
final class PagesAhead: Sendable {
  private let count: Int
  private let resolver: Resolver
  private let tasks: Tasks
  private let last = Locked<UInt64?>(nil)

  /// - Parameter count: the number of entries to resolve after the playing one.
  init(_ count: Int, by resolver: Resolver, tasks: Tasks) {
    self.count = count
    self.resolver = resolver
    self.tasks = tasks
  }

  /// Resolves the web pages of the entries after the version with `inode`, which is playing.
  func played(_ inode: UInt64, in live: LiveCatalog) {
    let isNew = last.withLock { last in
      defer { last = inode }
      return last != inode
    }
    guard isNew else { return }
    for entry in live.pages(after: inode, among: count) {
      let page = entry.media.url
      guard !resolver.knows(page), live.failures.refusal(of: page) == nil else { continue }
      tasks.start { [resolver] in
        // The part of the site's budget that is reserved for players stays for pages that they
        // open.
        switch await resolver.find(page, for: .other) {
        case .found(let media, let formats, let stream, true):
          let length = stream == nil ? formats.first?.length : nil
          live.learn(LearnedFacts(media, length: length), of: entry.inode)
        case .failed(let failure):
          live.failures.take(Refusal(url: page, reason: failure.words))
          if failure == .live { live.foundBroadcast(entry.inode) }
        case .found, .postponed, .stopped: break
        }
      }
    }
  }
}
