import FeedReading
import Locks
import Streams
import World

/// Remembers the answers about web pages, even after a restart.
extension Resolver {
  /// Reads the answers of earlier processes from the disk. Later calls do nothing.
  func recall() async {
    guard state.withLock({ !$0.hasRecalled }) else { return }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      jobs.add { [self] in
        defer { continuation.resume() }
        guard state.withLock({ !$0.hasRecalled }) else { return }
        let now = wall.seconds
        let earlier = pages.read().filter { $0.value.until > now }.prefix(Self.maxAnswers)
        state.withLock { state in
          for (page, answer) in earlier { state.answers[page] = answer }
          state.hasRecalled = true
        }
      }
    }
  }

  /// Saves the answers that are still valid, for later processes.
  func save() {
    jobs.add { [self] in
      let now = wall.seconds
      let answers = state.withLock { $0.answers }
      pages.write(answers.filter { $0.value.until > now })
    }
  }

  func known(_ page: String) -> PageMedia? {
    let now = wall.seconds
    return state.withLock { state in
      guard let answer = state.answers[page], answer.until > now else { return nil }
      return answer.media
    }
  }

  /// Remembers the media of a page if some of them can be read. Otherwise the page is asked again
  /// next time.
  func keep(_ media: PageMedia, of page: String) {
    let choice = FormatChoice(self.media)
    let usable = choice.ranked(media.formats)
    let hasStream = wishes.flatMap { choice.stream(of: media, isStream: true, $0) } != nil
    guard media.obstacle == nil, hasStream || !usable.isEmpty else { return }
    var media = media
    let expiry = (hasStream ? media.formats : usable).compactMap(\.expires).min()
    if media.offers.isEmpty, hasStream { media.offers = media.allOffers }
    media.formats = Array(usable.prefix(Self.maxFormats))
    media.offers = hasStream ? Array(media.offers.prefix(PageMedia.maxOffers)) : []
    let now = wall.seconds
    let until = expiry ?? now + Self.usualLife
    state.withLock { [media] state in
      if state.answers.count >= Self.maxAnswers {
        state.answers = state.answers.filter { $0.value.until > now }
        if state.answers.count >= Self.maxAnswers { state.answers = [:] }
      }
      state.answers[page] = ResolvedPages.Answer(media: media, until: until)
    }
    save()
  }

  /// Forgets the remembered answer about `page` if it contains the address `refused`.
  func forget(_ page: String, with refused: String) {
    let isForgotten = state.withLock { state in
      guard let media = state.answers[page]?.media else { return false }
      let isNamed =
        media.formats.contains { $0.url == refused }
        || media.offers.contains { $0.address == refused || $0.manifest == refused }
      guard isNamed else { return false }
      state.answers[page] = nil
      return true
    }
    if isForgotten { save() }
  }
}
