import Blocks
import Catalog
import FeedReading
import Filling
import Host
import Locks
import Storage
import World

/// Writes news of the feed and its origins into the catalog of a running mount.
extension LiveCatalog {
  /// Notes that the feed has no page after the last page that was read.
  func noFurtherPage() {
    state.withLock { $0.catalog.edit { $0.chain.missing() } }
    changed(.catalogChanged)
  }

  /// Returns whether the entry is one of the feed's last three. If it is, a reader can soon need
  /// the entries of the next page.
  func isNearEnd(_ number: Int) -> Bool {
    state.withLock { $0.catalog.current.lastListed(3).contains(number) }
  }

  /// Notes that the origin has confirmed the feed's page as unchanged. `now` is in seconds since
  /// 1970, `maxAge` in seconds.
  ///
  /// The note is saved with the next change, or when the mount ends. If the process is killed
  /// before that, the feed is asked again.
  func confirmPage(at now: Int, maxAge: Int?) {
    state.withLock { state in
      state.catalog.edit { $0.confirmPage(at: now, maxAge: maxAge) }
      state.revision += 1
    }
  }

  /// Lets `change` edit the facts about the feed's move to another address, and returns its result.
  func move<Outcome>(_ change: (inout FeedMove) -> Outcome) -> Outcome {
    let (outcome, isNews) = state.withLock { state in
      let before = state.catalog.current.move
      var after = before
      let outcome = change(&after)
      let move = after
      if move != before { state.catalog.edit { $0.move = move } }
      return (outcome, move != before)
    }
    if isNews { changed(.catalogChanged) }
    return outcome
  }

  /// Notes the facts about the version with `inode` in the head of an answer. Returns whether the
  /// catalog must be saved.
  func take(_ news: HeadNews, of inode: UInt64) -> Bool {
    var body = KnownBody(news.answer, at: wall.seconds)
    body.date = news.date
    return takes(body, of: inode, at: news.url, format: news.format)
  }

  /// Notes the facts that an answer has proved or confirmed about the version with `inode`.
  ///
  /// - Parameter url: the address of the answer; nil if it is the same as before.
  func know(_ body: KnownBody, of inode: UInt64, at url: String? = nil) {
    if takes(body, of: inode, at: url, format: nil) { changed(.catalogChanged) }
  }

  /// Notes facts about the version with `inode`. Returns whether the catalog must be saved.
  ///
  /// - Parameters:
  ///   - url: the address of the answer; nil if it is the same as before.
  ///   - format: the chosen format of the entry's web page; nil if it is the same as before.
  private func takes(
    _ body: KnownBody, of inode: UInt64, at url: String?, format: String?
  ) -> Bool {
    state.withLock { state in
      guard let entry = state.catalog.current.entry(inode: inode) else { return false }
      var body = body
      body.keep(entry.known)
      state.know(body, of: entry)
      if let url, !entry.media.isPage {
        state.catalog.edit { $0.choose(url, for: entry.number) }
      }
      if let format, entry.media.isPage, entry.pageFormat != format {
        state.catalog.edit { $0.choose(format: format, for: entry.number) }
      }
      // If only the time of the last confirmation has changed, the catalog is not worth saving.
      let isNews =
        entry.known?.representation != body.representation || entry.known?.date != body.date
        || entry.known?.untaggedAt != body.untaggedAt
      if isNews {
        state.revision += 1
        state.changes.note(entry.number, at: wall.microseconds())
      }
      return isNews
    }
  }

  /// Notes that the entity tags of `origin` for the file with `inode` are to be ignored. `date` is
  /// the strong Last-Modified of the file's version; nil if none is known.
  func ignoreTags(at origin: String, _ date: String?, of inode: UInt64) {
    guard var body = entry(inode: inode)?.known else { return }
    (body.untaggedAt, body.date) = (origin, date)
    know(body, of: inode)
  }

  /// Notes the subtitles that the stream of the entry with `inode` has, unless the feed itself
  /// names subtitles.
  func learn(_ texts: [Subtitle], of inode: UInt64) {
    guard let entry = entry(inode: inode), entry.subtitles.isEmpty else { return }
    var facts = entry.learned ?? LearnedFacts(PageMedia())
    // The entry's web page might have listed more subtitles than the stream has. So its list is
    // replaced only if it is empty, or if both have the same languages. The stream's addresses are
    // then the newer ones.
    let languages = Set(facts.subtitles.map(\.lang))
    guard languages.isEmpty || languages == Set(texts.map(\.lang)) else { return }
    facts.subtitles = texts
    learn(facts, of: inode)
  }

  /// Notes the facts in the web page of the entry with `inode`. If the facts name subtitles, the
  /// listing gets files for these.
  func learn(_ facts: LearnedFacts, of inode: UInt64) {
    let isNews = state.withLock { state in
      guard let entry = state.catalog.current.entry(inode: inode), entry.learned != facts else {
        return false
      }
      // The web page can state another length than the kernel was told, so the told length is
      // noted.
      if entry.known == nil { state.noteTold(entry.likelyLength, of: inode) }
      state.catalog.edit { $0.learn(facts, of: entry.number) }
      state.revision += 1
      state.changedAt = wall.seconds
      state.changes.note(entry.number, at: wall.microseconds())
      return true
    }
    guard isNews else { return }
    changed(.listingChanged)
    changed(.catalogChanged)
  }

  /// Notes that the entry with `inode` is live. If the user's rules leave out live entries, the
  /// entry leaves the listing as soon as no program has it open.
  func foundBroadcast(_ inode: UInt64) {
    let now = wall.seconds
    let isNews = state.withLock { state in
      guard let number = state.catalog.current.entry(inode: inode)?.number else { return false }
      state.catalog.edit { $0.foundBroadcast(number, at: now) }
      return true
    }
    guard isNews else { return }
    changed(.catalogChanged)
    if catalog.rules.live == false { sift() }
  }

  /// Notes that the version with `inode` is complete. If the version is empty, this proves its
  /// length.
  func completed(_ inode: UInt64) {
    guard let representation = version(of: inode)?.filler.representation,
      representation.length == 0
    else { return }
    learned(representation, of: inode)
  }

  /// Notes that the version with `inode` is stale. From now on the entry's name means the origin's
  /// new version.
  func becameStale(_ inode: UInt64) {
    guard let old = entry(inode: inode) else { return }
    maker.replaced(old)
    let shown = version(of: inode)?.filler.representation.map {
      KnownBody($0, type: nil, freshFor: .zero, at: 0)
    }
    let isNews = state.withLock { state in
      guard state.catalog.current.entry(inode: inode) != nil else { return false }
      state.catalog.edit(endingMerge: true) { _ = $0.markStale(old.number, showing: shown) }
      state.changes.note(old.number, at: wall.microseconds())
      return true
    }
    guard isNews else { return }
    changed(.nameChanged(old.name))
    changed(.catalogChanged)
    if isWanted(old), let new = entry(number: old.number) { changed(.pinsChanged(new.inode)) }
  }

  /// Notes that the version with `inode` is being played.
  func played(_ inode: UInt64) {
    let isNews = state.withLock { state in
      guard let number = state.catalog.current.entry(inode: inode)?.number,
        state.catalog.current.lastPlayed != number
      else { return false }
      state.catalog.edit { $0.played(number) }
      return true
    }
    if isNews { changed(.catalogChanged) }
  }

  /// Notes that a program has closed the version with `inode`, and how much it has read.
  func closed(_ inode: UInt64, after run: ReadRun, isPlayer: Bool) {
    guard let entry = entry(inode: inode) else { return }
    let rule = PlayRule(duration: entry.duration, length: entry.known?.length ?? 0)
    guard entry.mark != .played else { return }
    let mark = rule.mark(after: run, isPlayer: isPlayer)
    // The kernel has the copied bytes in its memory. The daemon would not see it if a player read
    // them there, so the kernel is told to forget them. This is done only for a complete file.
    // While a read waits for the network, the kernel cannot forget the file's pages, and the notice
    // would block.
    let isComplete = version(of: inode)?.filler.isComplete ?? false
    if mark != .played, isComplete, isWatched(entry.number) { contentsChanged(of: inode) }
    guard let mark else { return }
    self.mark(mark, [entry.number])
  }

  /// Marks entries.
  ///
  /// - Parameter mark: nil makes the entries new.
  func mark(_ mark: EntryMark?, _ numbers: [Int]) {
    let isNews = state.withLock { state in
      let changed = numbers.filter { state.catalog.current.entry(number: $0)?.mark != mark }
      guard !changed.isEmpty else { return false }
      state.catalog.edit { catalog in for number in changed { catalog.mark(mark, number) } }
      state.changes.note(changed, at: wall.microseconds())
      state.revision += 1
      return true
    }
    guard isNews else { return }
    changed(.marksChanged)
    changed(.catalogChanged)
  }

  /// Adds to the listing the entries before `number`, which waited for a save, because they are on
  /// the disk now.
  func saved(before number: Int) {
    let listed = state.withLock { state in
      let listed = state.catalog.list(before: number)
      if let listed {
        state.changes.note(listed, at: wall.microseconds())
        state.revision += 1
        state.changedAt = wall.seconds
      }
      return listed
    }
    if listed != nil { changed(.listingChanged) }
  }

  /// Removes from the listing the entries that the feed has dropped or that a rule leaves out.
  /// Returns their numbers. Open and pinned entries stay. So do entries that the feed has dropped
  /// but that are complete on the disk.
  func dropUnneeded() -> [Int] {
    // The catalog must have no second owner when entries are dropped below. Otherwise Swift would
    // copy it under the lock.
    let dropped = catalog.kept.filter { !$0.isPinned }
    guard !dropped.isEmpty || catalog.sparesEntries else { return [] }
    let complete = dropped.filter { $0.known != nil && holding(of: $0).bytes == $0.known?.length }
    let gone = state.withLock { state in
      let open = Set(state.open.values.map(\.version.number))
      let gone = state.catalog.dropGone(keep: open.union(complete.map(\.number)), open: open)
      if !gone.isEmpty {
        state.changes.note(gone, at: wall.microseconds())
        state.revision += 1
        state.changedAt = wall.seconds
      }
      return gone
    }
    for entry in gone.compactMap({ entry(number: $0) }) {
      changed(.nameChanged(entry.name))
      changed(.titleChanged(entry.titleName))
    }
    if !gone.isEmpty {
      changed(.listingChanged)
      changed(.catalogChanged)
    }
    return gone
  }
}
