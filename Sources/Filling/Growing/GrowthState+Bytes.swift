package import Blocks

/// Decides the next steps when an answer begins, when bytes come, and when cached bytes are lost.
extension GrowthState {
  /// Some of the bytes that have come, and what to do with them.
  package enum Part: Hashable, Sendable {
    /// The store has bytes of an earlier answer at this place, which must be compared with the new
    /// ones.
    case compare(ByteRange)
    /// The store must write these bytes.
    case store(ByteRange)
    /// The store cannot take these bytes, because it lacks the beginning of their block.
    case skip(ByteRange)
  }

  /// Notes that the answer to `fetch` has begun. The answer tells no length, or it continues a body
  /// of unknown length.
  package mutating func began(_ fetch: FetchID, _ body: GrowingBody, at now: Duration) -> [Action] {
    guard accepts(fetch) else { return [] }
    // An answer with another validator, or with a length below `reached`, is of another version.
    guard body.validator == validator, body.length ?? .max >= reached else { return becomeStale() }
    self.fetch?.body = body
    self.fetch?.position = body.start
    beginsAnew = false
    guard body.length ?? 0 <= layout.length else { return becomeTooLong() }
    return follow(at: now)
  }

  /// Takes over `fetch`, whose answer has begun, from `FillState`.
  package mutating func adopt(_ fetch: FetchID, _ body: GrowingBody, at now: Duration) -> [Action] {
    self.fetch = Fetch(id: fetch, position: body.start)
    linger(from: now)
    return began(fetch, body, at: now)
  }

  /// Returns the first part of `bytes`, which `fetch` brought, and what to do with it. The part
  /// lies within one block. Returns nil if the bytes are not wanted.
  package func next(of bytes: ByteRange, in fetch: FetchID) -> Part? {
    let bytes = bytes.clamped(to: 0..<layout.length)
    guard accepts(fetch), !bytes.isEmpty else { return nil }
    let block = layout.block(at: bytes.lowerBound)
    let inBlock = layout.bytes(of: block)
    let known = cached.end(of: block, in: layout)
    let end = min(bytes.upperBound, inBlock.upperBound)
    if bytes.lowerBound < known { return .compare(bytes.lowerBound..<min(known, end)) }
    return bytes.lowerBound == known
      ? .store(bytes.lowerBound..<end) : .skip(bytes.lowerBound..<end)
  }

  /// Notes whether `bytes` agree with the cached bytes. `agree` is nil if the store has lost the
  /// cached ones.
  package mutating func compared(
    _ bytes: ByteRange, _ agree: Bool?, at now: Duration
  ) -> [Action] {
    switch agree {
    case true?: return []
    case false?: return becomeStale()
    case nil: return lost(Array(layout.blocks(touching: bytes)), at: now)
    }
  }

  /// Notes that the store now has `bytes` of one block, which `fetch` brought. The store evicted
  /// the blocks `displaced` to make room for them.
  package mutating func arrived(
    _ bytes: ByteRange, in fetch: FetchID, displacing displaced: [BlockIndex] = [],
    at now: Duration
  ) -> [Action] {
    cached.forget(displaced)
    let block = layout.block(at: bytes.lowerBound)
    guard !displaced.contains(block), !cached.whole.contains(block),
      bytes.lowerBound == cached.end(of: block, in: layout)
    else { return [] }
    _ = cached.keep(bytes, of: block, in: layout)
    throughput.arrived(bytes.count, at: now)
    if bytes.upperBound > reached {
      reached = bytes.upperBound
      if accepts(fetch) { self.fetch?.isUseful = true }
      trouble.end()
      access.renewal.settle()
    }
    return resumeReady()
  }

  /// Notes that all bytes of `fetch` before `offset` were compared, stored or skipped.
  package mutating func passed(_ offset: Int, in fetch: FetchID, at now: Duration) -> [Action] {
    guard accepts(fetch) else { return [] }
    self.fetch?.position = offset
    lastBytes = now
    return offset > layout.length ? becomeTooLong() : []
  }

  /// Notes that the store has lost `blocks`.
  package mutating func lost(_ blocks: [BlockIndex], at now: Duration) -> [Action] {
    cached.forget(blocks)
    return follow(at: now)
  }

  /// Notes that the store was replaced by another one, which has only `cachedBlocks`.
  package mutating func storeWasReset(cachedBlocks: BlockSet, at now: Duration) -> [Action] {
    cached = CachedBytes(whole: cachedBlocks)
    return follow(at: now)
  }

  /// Notes that the origin serves another version. Readers get only cached bytes from now on.
  package mutating func becomeStale() -> [Action] {
    guard !isStale else { return [] }
    access.isStale = true
    // The mount is told before the readers. So a reader that opens the file again at once gets the
    // new version.
    return [.becameStale] + resumeReady() + endAll(.changed) + cancel()
  }

  // MARK: Private

  private mutating func becomeTooLong() -> [Action] {
    isTooLong = true
    return [.tooLong] + resumeReady() + endAll(.unreachable) + cancel()
  }
}
