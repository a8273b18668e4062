import Locks

/// Learns where the index of a film lies, and whether the origin serves requests for the end.
extension EntryFiller {
  /// Reads the place of the index in `head`, the first bytes of the film.
  func learnIndex(from head: RawSpan) {
    guard head.byteCount >= ContainerHead.minBytes else { return }
    let offset = ContainerHead.indexOffset(in: head)
    change { state, now in
      guard let offset else { return state.fill.foundNoIndexAtEnd() }
      return state.fill.found(indexAt: offset, at: now)
    }
    if let place = state.withLock({ $0.fill.place(ofIndexAt: offset) }) {
      tell(.foundIndex(place))
    }
  }

  /// Tells the mount if the origin has not answered the request for the end as it should.
  func judgeTail(_ fetch: FetchID, _ end: FetchEnd) {
    guard state.withLock({ $0.fill.tail.fetch == fetch && $0.fill.accepts(fetch) }) else {
      return
    }
    switch end {
    case .impossible: tell(.refusedTail)
    case .complete, .unanswered, .failed, .busy, .gone, .mayBeGone, .changed, .doubted,
      .unsatisfiable, .blocked:
      break
    }
  }
}
