import Locks

/// Learns where a media file has its container's index, and whether the origin serves requests for
/// the last bytes of a file.
extension EntryFiller {
  /// Learns from `head`, the first bytes of a media file, where the container's index begins.
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

  /// Tells the mount if `fetch` asked for the last bytes of the file, and the origin does not serve
  /// such requests as it should.
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
