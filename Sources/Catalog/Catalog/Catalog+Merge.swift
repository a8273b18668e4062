package import FeedReading

extension Catalog {
  /// Merges a page of the feed that was read just now.
  ///
  /// New entries get the next numbers in the order of the page. An entry that comes back gets its
  /// old number, even if its id has changed.
  ///
  /// - Parameters:
  ///   - answer: facts from the answer that brought the page. They are stored unless the page is
  ///     ignored, because it has no entries while the catalog has some.
  ///   - now: seconds since 1970.
  ///   - keep: returns whether the entry with this number stays listed although the feed dropped
  ///     it.
  ///   - fileExtension: returns the file extension for media, without the dot. It is called at most
  ///     once for each new entry.
  package mutating func merge(
    _ page: Feed, answer: PageFacts = PageFacts(), now: Int, keep: (Int) -> Bool = { _ in false },
    fileExtension: (Media) -> String
  ) -> CatalogChange {
    var change = CatalogChange()
    var places: [Int: Int] = [:]
    if page.entries.isEmpty && !entries.isEmpty {
      change.ignoredBecause = "the feed lists no entries now, so the known ones stay"
    } else {
      title = page.title.isEmpty ? title : page.title
      cover = page.cover ?? cover
      self.page = answer
      self.page.ttl = [page.ttl, page.pace.minutes].compactMap(\.self).max()
      self.page.quiet = page.quiet.isEmpty ? nil : page.quiet
      self.page.checkedAt = now
      places = take(page, now: now, fileExtension: fileExtension, change: &change)
    }
    markDeleted(by: page, places: places)
    change.removed = dropGone(keep: keep)
    trimNotes()
    sift(at: now, into: &change)
    return change
  }

  /// Records that the server confirmed the last page as unchanged (304).
  ///
  /// - Parameters:
  ///   - now: seconds since 1970.
  ///   - maxAge: `Cache-Control: max-age` of this answer, in seconds; nil if it has none.
  package mutating func confirmPage(at now: Int, maxAge: Int?) {
    page.checkedAt = now
    page.maxAge = maxAge
  }

  /// Removes from the listing each entry that the feed has dropped and for which `keep` is false.
  ///
  /// - Parameter keep: returns whether the entry with this number is still needed.
  /// - Returns: the numbers of the entries that are no longer listed.
  package mutating func dropGone(keep: (Int) -> Bool) -> [Int] {
    let dropped = entries.indices.filter { entries.presence(at: $0) == .kept && !keep($0 + 1) }
      .map { $0 + 1 }
    guard !dropped.isEmpty else { return [] }
    for number in dropped { entries.set(.removed, at: number - 1) }
    order.removeAll { entries.isRemoved(at: $0 - 1) }
    return dropped
  }

  // MARK: The steps of a merge

  /// Merges the entries of the page, and marks the entries that the feed has dropped.
  ///
  /// - Returns: the place of each entry on the page, by its number. Places also count the entries
  ///   without a number, as in `Feed.pageStarts`.
  private mutating func take(
    _ page: Feed, now: Int, fileExtension: (Media) -> String, change: inout CatalogChange
  ) -> [Int: Int] {
    let before = order.filter { number in
      let presence = entries.presence(at: number - 1)
      return presence == .current || page.complete && presence == .past
    }
    let numbers = match(page, now: now, fileExtension: fileExtension, change: &change)
    let current = numbers.compactMap(\.self)
    let places = Dictionary(
      uniqueKeysWithValues: zip(numbers, 0...).compactMap { number, place in
        number.map { ($0, place) }
      })
    let missing = Disappearance(from: page, before: before, places: places) {
      entries.published(at: $0 - 1)
    }
    for number in missing.past where entries.presence(at: number - 1) == .current {
      entries.set(.past, at: number - 1)
    }
    for number in missing.gone { entries.set(.kept, at: number - 1) }
    change.ignoredBecause = change.ignoredBecause ?? missing.doubt
    order = Self.order(page: current, before: order)
    return places
  }

  /// Finds the known entries among those of a page, and updates them. Adds the new entries.
  ///
  /// - Returns: the number of each entry of the page; nil for a new entry that cannot be played, or
  ///   for which the catalog has no room.
  mutating func match(
    _ page: Feed, now: Int, fileExtension: (Media) -> String, change: inout CatalogChange
  ) -> [Int?] {
    let hashes = page.entries.indices.map(page.entries.hash(at:))
    var numbers = EntryMatch(of: page.entries, hashes: hashes, in: entries, seen: seen).numbers
    update(numbers, from: page.entries, hashes: hashes, now: now, change: &change)
    nameTitles(change.added)
    if !page.entries.isEmpty { decideNaming(by: page.kind) }
    admit(page.entries, numbers: &numbers, now: now, fileExtension: fileExtension, change: &change)
    nameTitles(change.changed)
    nameAliases(numbers, of: page.entries, hashes: hashes, now: now)
    return numbers
  }

  /// Deletes notes until the remaining notes fit into `ShowNotes.room`. Removed entries lose their
  /// notes first, then the last entries of the feed.
  mutating func trimNotes() {
    let room = ShowNotes.room(of: entries.count)
    guard notesSize > room else { return }
    let removed = entries.indices.filter(entries.isRemoved(at:))
    for place in removed + order.reversed().map({ $0 - 1 }) where notesSize > room {
      let size = entries.names(at: place).notesSize
      guard size > 0 else { continue }
      entries[place].notes = nil
      notesSize -= size
    }
  }

  private mutating func update(
    _ numbers: [Int?], from page: PackedArray<Entry>, hashes: [Int], now: Int,
    change: inout CatalogChange
  ) {
    for (place, number) in numbers.enumerated() {
      guard let number else { continue }
      let isSame =
        seen.has(hashes[place], of: number) && entries.presence(at: number - 1) == .current
        && CatalogEntry.isCredible(page.published(at: place), now: now)
      if isSame { continue }
      let entry = page[place]
      var known = entries[number - 1]
      let wasRemoved = known.isRemoved
      let former = known.notes?.utf8.count ?? 0
      let wasCurrent = known.presence == .current
      let hasChanged = known.update(from: entry, now: now)
      known.presence = .current
      notesSize += (known.notes?.utf8.count ?? 0) - former
      if hasChanged || !wasCurrent { entries[number - 1] = known }
      if wasRemoved {
        change.added.append(number)
      } else if hasChanged {
        change.changed.append(number)
      }
    }
  }

  /// Adds the new entries that can be played, each with the next number, until the catalog is full.
  private mutating func admit(
    _ page: PackedArray<Entry>, numbers: inout [Int?], now: Int, fileExtension: (Media) -> String,
    change: inout CatalogChange
  ) {
    guard numbers.contains(nil) else { return }
    var keys: Set<Int> = []
    keys.reserveCapacity(entries.count)
    for place in entries.indices { keys.insert(EntryIdentity.hash(of: entries.key(at: place))) }
    let pages = extensionOfPages
    for place in page.indices where numbers[place] == nil {
      let entry = page[place]
      guard let media = entry.media else { continue }
      guard entries.count < Self.capacity else {
        change.ignoredBecause =
          "the feed has had \(Self.capacity) entries, the most that feedfs takes: new ones are left out"
        return
      }
      let number = nextNumber
      var key = entry.id
      while !keys.insert(EntryIdentity.hash(of: key)).inserted {
        key += "#\(number)"
      }
      let inode = newInode(for: number)
      let ending = media.isPage ? pages : nil
      var new = CatalogEntry(
        number: number, inode: inode, key: key, entry: entry, media: media,
        fileExtension: ending ?? fileExtension(media), now: now)
      nameFile(of: &new)
      _ = nameTitle(of: &new)
      notesSize += new.notes?.utf8.count ?? 0
      entries.append(new)
      numbers[place] = number
      change.added.append(number)
    }
  }

  /// The likely extension of a file whose web page was not read yet. It follows from the first
  /// entry in the feed's order whose web page was read: if its media is a stream, the others are
  /// streams too. Nil if that media is a plain file, or if no web page was read.
  private var extensionOfPages: String? {
    for number in order where entries.isKnown(at: number - 1) {
      let entry = entries[number - 1]
      guard entry.media.isPage, let known = entry.known else { continue }
      guard known.isStream else { return nil }
      return known.contentType?.hasPrefix("audio/") == true ? "mka" : "mkv"
    }
    return nil
  }

  /// Stores the feed's present id of each entry. If several entries of the page have the same id,
  /// only the first of them gets it.
  ///
  /// Also stores in `seen` the hashes of the page's entries, for entries that now say the same as
  /// the page.
  private mutating func nameAliases(
    _ numbers: [Int?], of page: PackedArray<Entry>, hashes: [Int], now: Int
  ) {
    var taken: Set<Int> = []
    var isCurrent = Array(repeating: false, count: entries.count)
    seen.reset(count: entries.count)
    for (place, number) in numbers.enumerated() {
      guard let number else { continue }
      let id = page.id(at: place)
      let isNew = taken.insert(EntryIdentity.hash(of: id)).inserted
      isCurrent[number - 1] = true
      let alias = isNew && id != entries.key(at: number - 1) ? id : nil
      if entries.alias(at: number - 1) != alias { entries[number - 1].alias = alias }
      let isAsSaid =
        isNew && page.isFile(at: place)
        && CatalogEntry.isCredible(page.published(at: place), now: now)
      if isAsSaid { seen.set(hashes[place], of: number) }
    }
    for place in entries.indices where !isCurrent[place] {
      if let alias = entries.alias(at: place), taken.contains(EntryIdentity.hash(of: alias)) {
        entries[place].alias = nil
      }
    }
  }

  /// Marks each entry as dropped that has a tombstone on the page (RFC 6721), unless the page lists
  /// it too. A damaged page drops no entry, because it can have lost some.
  mutating func markDeleted(by page: Feed, places: [Int: Int]) {
    guard !page.recovered, !page.deleted.isEmpty else { return }
    let wanted = Set(page.deleted)
    // An alias takes precedence over a key, because it is the feed's present id.
    var known: [String: Int] = [:]
    for place in entries.indices {
      let key = entries.key(at: place)
      if wanted.contains(key) { known[key] = place + 1 }
    }
    for place in entries.indices {
      if let alias = entries.alias(at: place), wanted.contains(alias) { known[alias] = place + 1 }
    }
    for number in page.deleted.compactMap({ known[$0] }) where places[number] == nil {
      guard !entries.isRemoved(at: number - 1) else { continue }
      entries.set(.kept, at: number - 1)
    }
  }

  /// Returns the order of the page. An entry that is not on it stays behind the last entry of the
  /// page that preceded it in `before`, or else in front of the first that followed it.
  private static func order(page: [Int], before: [Int]) -> [Int] {
    let isOnPage = Set(page)
    var behind: [Int: [Int]] = [:]
    var leading: [Int] = []
    var anchor: Int?
    for number in before {
      if isOnPage.contains(number) {
        anchor = number
      } else if let anchor {
        behind[anchor, default: []].append(number)
      } else {
        leading.append(number)
      }
    }
    let first = before.first { isOnPage.contains($0) }
    var order: [Int] = []
    for number in page {
      if number == first { order += leading }
      order.append(number)
      order += behind[number] ?? []
    }
    return first == nil ? order + leading : order
  }
}

/// The changes that one page of the feed made in the catalog.
package struct CatalogChange: Hashable, Sendable {
  /// Numbers that are newly listed: those of new entries, and of entries that came back.
  package var added: [Int] = []
  /// Numbers of entries that are no longer listed.
  package var removed: [Int] = []
  /// Numbers of entries that stay listed, and whose data the feed has changed.
  package var changed: [Int] = []
  /// The reason why the page, or a part of it, was ignored, as one sentence; nil if nothing was.
  package var ignoredBecause: String?

  package init() {}

  package var isEmpty: Bool { added.isEmpty && removed.isEmpty && changed.isEmpty }
}
