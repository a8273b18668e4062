import Blocks
import Streaming
import Streams

/// Makes slots as wholes, once for all fetches that want them.
extension FilmReader {
  /// Starts what the next slots need, so that it comes while one is delivered.
  func lookAhead(
    from slot: Int, in slots: Range<Int>, of range: ByteRange, _ delivery: Delivery
  ) {
    let last = min(slots.upperBound - 1, slot + Self.slotsAhead)
    var bytes = 0
    for next in slot...last {
      if let run = delivery.runs.first(where: { $0.slots.lowerBound == next }) {
        begin(run, for: delivery.outlet.fetch)
      } else if !SlotBytes.isInOrder(layout, slot: next), kept[next] == nil,
        !isMadeInPart(next, of: range)
      {
        bytes += layout.fragments[next].bytes.count
        if next > slot, bytes > Self.mostAhead { return }
        want(next, for: delivery.outlet.fetch)
      }
    }
  }

  func want(_ slot: Int, for fetch: FetchID) {
    if making[slot] != nil {
      making[slot]?.fetches.insert(fetch)
      return
    }
    nextMaking += 1
    let task = pieces.tasks.start { [number = nextMaking] () -> Result<[UInt8], StreamTrouble> in
      await self.outcome(of: slot, number, for: fetch)
    }
    making[slot] = Making(number: nextMaking, task: task, fetches: [fetch])
  }

  /// Makes a slot. A failure is that of the fetches that wait now, and of no later one.
  private func outcome(
    of slot: Int, _ number: Int, for fetch: FetchID
  ) async -> Result<[UInt8], StreamTrouble> {
    defer { if making[slot]?.number == number { making[slot] = nil } }
    do throws(StreamTrouble) {
      return .success(try await make(slot, for: fetch))
    } catch {
      return .failure(error)
    }
  }

  func made(_ slot: Int, for fetch: FetchID) async throws(StreamTrouble) -> [UInt8] {
    if let bytes = kept[slot] {
      keptOrder.removeAll { $0 == slot }
      keptOrder.append(slot)
      return bytes
    }
    want(slot, for: fetch)
    guard let task = making[slot]?.task else { throw StreamTrouble(.unanswered, nil) }
    return try await task.value.get()
  }

  func make(_ slot: Int, for fetch: FetchID) async throws(StreamTrouble) -> [UInt8] {
    let fragment = layout.fragments[slot]
    // A segment of its own is fetched whole, so its length tells enough. Servers behind one address
    // often name one version by different tags.
    let isAlone = isAlone(fragment.resource)
    let transfer = pieces.start(
      film.resources[fragment.resource], fragment.bytes,
      expected: isAlone ? nil : versions[fragment.resource], urgencies[fetch] ?? .demand)
    making[slot]?.transfer = transfer
    if isAlone { versions[fragment.resource] = nil }
    let bytes = try await all(of: transfer, fragment.resource)
    let made: [UInt8]
    do throws(StreamFault) {
      made = try SlotBytes(layout, slot: slot).bytes(
        of: bytes,
        key: fragment.key.flatMap { key in
          film.keys.indices.contains(key.number) ? film.keys[key.number] : nil
        })
    } catch {
      throw StreamTrouble(.failed, error.words)
    }
    kept[slot] = made
    keptOrder.append(slot)
    while keptOrder.count > 2, keptOrder.reduce(0, { $0 + (kept[$1]?.count ?? 0) }) > Self.keptBytes
    {
      kept[keptOrder.removeFirst()] = nil
    }
    return made
  }
}
