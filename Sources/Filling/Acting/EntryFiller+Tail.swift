import NIOConcurrencyHelpers

/// Learns from the first bytes of a film where its index lies.
extension EntryFiller {
  /// Notes the place of the index, from the first bytes of the film (`head`).
  func learnIndex(from head: RawSpan) {
    guard head.byteCount >= ContainerHead.minBytes else { return }
    let offset = ContainerHead.indexOffset(in: head)
    change { state, now in
      guard let offset else { return state.fill.foundNoIndexAtEnd() }
      return state.fill.found(indexAt: offset, at: now)
    }
    if let place = state.withLockedValue({ $0.fill.place(ofIndexAt: offset) }) {
      tell(.foundIndex(place))
    }
  }

  /// Tells the mount if the origin has not answered the request for the end as it should.
  func judgeTail(_ fetch: FetchID, _ end: FetchEnd) {
    guard state.withLockedValue({ $0.fill.tail.fetch == fetch && $0.fill.accepts(fetch) }) else {
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
