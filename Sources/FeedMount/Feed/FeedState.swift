import Blocks
import Filling

/// Decides which actions follow from each fact about a mounted feed. `FeedPerformer` performs them.
struct FeedState: Sendable {
  /// A step that follows from a fact.
  enum Action: Sendable {
    /// Save the catalog soon.
    case save
    case notify(Notice)
    /// Tell the kernel a size, for which opens wait.
    case tellSize(Int, of: UInt64, isGreater: Bool)
    /// Tell the kernel the size of a file that programs can have open.
    case tellGrowth(Int, last: UInt8, of: UInt64)
    /// Fetch the pinned entries. `followPin` is for one entry, whose pin has changed.
    case followPins
    case followPin(UInt64)
    /// Decide again which entries the user's `keep` fetches and deletes.
    case reviewKeeping
    /// Tell the preloader about the event.
    case preload(EntryFiller.Event, of: UInt64)
    /// Write news of the entry with this inode into the catalog.
    case take(OriginNews, of: UInt64)
    case complete(UInt64)
    case markStale(UInt64)
    case play(UInt64)
    case forget(UInt64)
    /// Show the file as a growing file.
    case grow(UInt64)
    /// Judge by the bytes that have come whether the file has an end.
    case judgeGrowth(UInt64)
    /// Retry the feed. The origin of an entry has answered, so the feed's origin can answer again
    /// too.
    case retryFeed
    /// Remember why the bytes of a file do not come. `endFailure` forgets it when they come again.
    case noteFailure(of: UInt64)
    case noteWrong(blocks: Range<BlockIndex>, read: [ByteRange], of: UInt64)
    case endFailure(of: UInt64)
    /// Look for another address after a refusal.
    case renew(UInt64)
    /// Close the cache file of a version that no reader has open.
    case flush(EntryVersion)
    case flushOpen(UInt64)
    /// Ask for the sizes of files whose size is not known.
    case findSizes
    /// Prepare a complete version for passthrough.
    case settle(EntryVersion)
  }

  /// Something that the kernel should forget.
  enum Notice: Hashable, Sendable {
    case name(String)
    case title(String)
    case listing
    case marks
    case attributes(UInt64)
    case contents(UInt64)
  }

  /// True once the feed is mounted. Before that, nothing is fetched.
  private var isMounted = false

  mutating func happened(_ fact: FeedFact) -> [Action] {
    switch fact {
    case .catalogChanged: return [.save]
    case .nameChanged(let name): return [.notify(.name(name))]
    case .titleChanged(let name): return [.notify(.title(name))]
    case .listingChanged:
      return [.notify(.listing)] + (isMounted ? [.findSizes, .reviewKeeping] : [])
    case .marksChanged: return [.notify(.marks), .reviewKeeping]
    case .attributesChanged(let inode): return [.notify(.attributes(inode))]
    case .contentsChanged(let inode): return [.notify(.contents(inode))]
    case .sizeProved(let size, let inode, let isGreater):
      return [.tellSize(size, of: inode, isGreater: isGreater)]
    case .sizeGrew(let size, let last, let inode):
      return [.tellGrowth(size, last: last, of: inode)]
    case .pinsChanged(let inode): return isMounted ? [.followPin(inode), .reviewKeeping] : []
    case .served(let version): return [.settle(version)]
    case .closed(let version): return [.flush(version)]
    case .version(.told(.head(let news)), let inode):
      return [.endFailure(of: inode), .take(.head(news), of: inode), .retryFeed]
    case .version(.told(let news), let inode): return [.take(news, of: inode)]
    case .version(.filled(let event), let inode):
      return [.preload(event, of: inode)] + consequences(of: event, for: inode)
    case .mounted:
      isMounted = true
      return [.followPins, .findSizes, .reviewKeeping]
    }
  }

  private func consequences(of event: EntryFiller.Event, for inode: UInt64) -> [Action] {
    switch event {
    case .completed: [.complete(inode)]
    case .becameStale: [.markStale(inode), .findSizes]
    case .needsAddress: [.renew(inode)]
    case .quiet: [.flushOpen(inode)]
    case .bufferState: [.play(inode)]
    case .wasWrong(let blocks, let read):
      [
        .notify(.contents(inode)), .forget(inode), .followPin(inode),
        .noteWrong(blocks: blocks, read: read, of: inode),
      ]
    case .gaveUp: [.noteFailure(of: inode)]
    case .grows: [.endFailure(of: inode), .grow(inode)]
    case .grew: [.judgeGrowth(inode)]
    case .played, .foundIndex, .refusedTail: []
    }
  }
}
