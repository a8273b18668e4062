import Catalog
import FeedReading
import Locks
import World

/// Reads the further pages of a feed.
extension FeedRefresher {
  /// Reads the next page, once for all concurrent callers.
  func more() async -> More {
    let task = state.withLock { state in
      if let loading = state.loading { return loading }
      let running = state.running
      let task = tasks.start { () -> More in
        _ = await running?.value
        let more = await self.readMore()
        self.state.withLock { $0.loading = nil }
        return more
      }
      state.loading = task
      return task
    }
    return await task.value
  }

  /// Reads a further page in the background if the entry `number` is near the feed's end, and the
  /// feed has a further page.
  func loadMore(behind number: Int) {
    guard live.isNearEnd(number), live.catalog.chain.following != nil else { return }
    tasks.start { [self] in
      let isLoading = state.withLock { $0.loading != nil }
      _ = await more()
      // `more` can have joined a read that listed the entry itself. Then one more page is needed.
      if isLoading, live.isNearEnd(number) { _ = await more() }
    }
  }

  /// Reads further pages until the feed has as many as the user wants.
  func readPages() async {
    while live.catalog.chain.count < page.choice.pages, !Task.isCancelled {
      let more = await more()
      if more.endedBecause != nil || more.error != nil || live.catalog.chain.count == 0 { return }
    }
  }

  /// Reads pages until one has a new entry, because entries might have moved to other pages since
  /// the last read.
  private func readMore() async -> More {
    var more = More()
    while more.added == 0, more.error == nil, let url = live.catalog.chain.following {
      do throws(FeedPage.Failure) {
        try checkMode()
        guard case .page(let feed, let facts, _) = try await page.get(url) else { break }
        let place = PageChain.Page(url: url, next: feed.next, facts: facts)
        let news = live.extend(with: feed, of: place, now: world.wall.seconds)
        await publish(news)
        more.added += news.change.added.count
      } catch {
        let failure = forbidden() ?? error
        if failure.isMissing { live.noFurtherPage() } else { more.error = failure.description }
      }
    }
    more.endedBecause = live.catalog.chain.endedBecause
    return more
  }
}
