import Blocks

/// Decides which bytes to fetch before any reader asks: a container's index, and files that may
/// play next or are wanted whole.
extension FillState {
  /// The buffering state of the file.
  package var bufferState: BufferState {
    if !waiting.isEmpty { return .starved }
    guard readers.windows.values.contains(where: \.isOpen) else {
      return readers.isPlayedUnseen ? .buffered : .idle
    }
    let isBusy = fetches.values.contains { $0.urgency != .background }
    // If the origin serves no ranges, nothing is read ahead. Without this check, each window would
    // count as behind for ever.
    let isBehind = !originLacksRanges && readers.windows.values.contains(where: \.isDue)
    return isBusy || isBehind ? .starved : .buffered
  }

  /// Notes that the container's index begins at `offset`, as the head of the file tells.
  package mutating func found(indexAt offset: Int, at now: Duration) -> [Action] {
    guard let layout, preloading.found(indexAt: offset, length: layout.length) else { return [] }
    return cancelTailWithoutIndex() + (hasHandles ? fetchIndex(at: now) : [])
  }

  /// The offset of the container's index, if the playing time can be in the index. Nil if the
  /// playing time is already known, or if the place of the index is not known.
  var placeOfDuration: Int? { preloading.placeOfDuration }

  /// Notes the playing time that the file itself tells. If a playing time is already known, for
  /// example from the feed, nothing changes.
  mutating func found(_ duration: Duration) {
    self.duration = self.duration ?? duration
  }

  /// Fetches the container's index, because the reader of the head will go there next.
  mutating func fetchIndex(at now: Duration) -> [Action] {
    guard let layout, let index = preloading.unaskedIndex, mayFetch, !originLacksRanges,
      trouble.failing == nil, !isPutOff(at: now)
    else { return [] }
    preloading.askedForIndex()
    return uncovered(layout.blocks(touching: index), in: layout).prefix(1)
      .map { start(layout.bytes(of: $0), .ahead, at: now) }
  }

  /// Sets the parts to preload, and cancels the preloads of other parts. The parts are fetched one
  /// after the other, while no other fetch runs. If a fetch fails, or if the store evicts blocks,
  /// nothing more is preloaded before the next call.
  package mutating func preloads(_ parts: [Part], at now: Duration) -> [Action] {
    preloading.set(parts)
    return dropUnwanted() + fetchParts(at: now, isAskedAgain: true)
  }

  /// Starts the next preload fetch. After a failure it starts only if the parts were set again
  /// (`isAskedAgain`), and the backoff has ended.
  mutating func fetchParts(at now: Duration, isAskedAgain: Bool = false) -> [Action] {
    guard !preloading.wanted.isEmpty, fetches.isEmpty || isFillingAlone, waiting.isEmpty, mayFetch,
      !originLacksRanges || preloading.isWhole, !preloading.isResting,
      trouble.failing == nil || isAskedAgain && trouble.isOver(at: now)
    else { return [] }
    guard let layout else { return [start(0..<rules.heads.firstFetch, .background, at: now)] }
    if isFillingAlone { return fill(layout, at: now) }
    for part in preloading.wanted {
      let bytes = bytes(of: part, in: layout)
      guard let run = uncovered(layout.blocks(touching: bytes), in: layout).first else { continue }
      let piece = layout.bytes(of: run)
      let longest =
        cached.isEvicting ? rules.sizes.maxFetchIntoMemory : rules.sizes.initialMaxFetch
      let end = min(piece.upperBound, piece.lowerBound + longest)
      return [start(piece.lowerBound..<end, .background, at: now)]
    }
    preloading.end()
    return []
  }

  /// True if the whole file is fetched while no reader has it open. Such a fill gets as many lanes
  /// as a program that copies the file, because it needs the bytes just as soon.
  var isFillingAlone: Bool {
    preloading.isWhole && !hasHandles && layout != nil && !originLacksRanges && !cached.isEvicting
  }

  /// Starts the next fetches of a file that is wanted whole.
  private mutating func fill(_ layout: BlockLayout, at now: Duration) -> [Action] {
    lanes.readerWaits(most: rules.lanes.maxLanes, at: now)
    var actions: [Action] = []
    while hasFreeLane(of: lanes.count) {
      guard let run = uncovered(layout.all, in: layout).first else { break }
      let piece = layout.bytes(of: run)
      // The first fetches of a fill are short, so that more lanes are tried soon.
      let grown = max(cached.whole.bytes(in: layout), Self.firstFill)
      let most = min(
        rules.sizes.initialMaxFetch, lanes.count > 1 ? max(lanes.piece, Self.firstFill) : grown)
      let end = min(piece.upperBound, piece.lowerBound + most)
      // If several lanes run, their fetches are not `background` fetches, which get only the
      // connections that others leave.
      actions.append(
        start(piece.lowerBound..<end, lanes.count > 1 ? .ahead : .background, at: now))
    }
    if fetches.isEmpty { preloading.end() }
    return actions
  }

  /// Goes on with the fetch of a whole file, because a lane is becoming free.
  mutating func fillOn(at now: Duration) -> [Action] {
    isFillingAlone ? fetchParts(at: now) : []
  }

  /// The size in bytes of the first fetch of a fill, and of the smallest fetches of its lanes.
  private static let firstFill = 1 << 20

  /// Returns whether a preload, or the fetch of the container's index for a reader, needs any of
  /// `bytes`.
  func isPreloaded(_ bytes: ByteRange) -> Bool {
    guard let layout else { return !preloading.wanted.isEmpty }
    if hasHandles, preloading.index?.overlaps(bytes) ?? false { return true }
    return preloading.wanted.contains { self.bytes(of: $0, in: layout).overlaps(bytes) }
  }

  /// Returns the bytes of `part`.
  private func bytes(of part: Part, in layout: BlockLayout) -> ByteRange {
    let all = 0..<layout.length
    switch part {
    case .head: return all.clamped(to: 0..<rules.heads.firstFetch)
    case .tail:
      let tail = layout.length - Self.tailLength
      let index = preloading.index?.lowerBound
      let isNear = (index ?? 0) > layout.length - rules.sizes.initialMaxFetch
      return all.clamped(to: (isNear ? min(index ?? tail, tail) : tail)..<layout.length)
    case .opening:
      let bytes = Double(playRate ?? Self.usualPlayRate) * (Self.opening / .seconds(1))
      return all.clamped(to: 0..<Int(min(bytes, 64e6)))
    case .whole: return all
    }
  }

  /// The size in bytes of `Part.tail`. If a container's index is not in front, it is usually in the
  /// tail.
  private static let tailLength = 256 << 10
  /// The playing time of `Part.opening`.
  private static let opening = Duration.seconds(10)
  /// The rate that is assumed of a media file of unknown playing time, in bytes a second (4
  /// Mbit/s).
  private static let usualPlayRate = 500_000
}
