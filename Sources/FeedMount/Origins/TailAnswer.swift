import Blocks
import Filling
import HTTP
import Locks
import StreamFiles

/// Holds back the answer to a request for the end of a file, until another answer has proved the
/// version. Only an answer of that version reaches the sink.
///
/// The client's thread calls it as a sink. Any thread can settle the version or cancel the fetch.
/// It takes no other lock while it holds its own.
final class TailAnswer: RangeSink {
  private enum Phase {
    /// No version is proved. The answer, its bytes and its end wait, as far as they have come.
    case unproved(Come)
    /// This version is proved, and the answer has not come.
    case proved(Representation)
    case flows
    case over
  }

  /// The part of an answer that has come.
  private struct Come {
    var answer: AcceptedAnswer?
    var bytes: [UInt8] = []
    var end: TransferEnd?
  }

  let fetch: FetchID
  let url: String
  private let sink: any FetchSink
  private let origin: @Sendable () -> HTTPOrigin?
  private let phase = Locked(Phase.unproved(Come()))

  init(_ fetch: FetchID, of origin: HTTPOrigin, at url: String, for sink: any FetchSink) {
    self.fetch = fetch
    self.url = url
    self.sink = sink
    self.origin = { [weak origin] in origin }
  }

  /// Lets the answer through if it is of `version`. Nil lets no answer through, because the version
  /// was proved at another address.
  func settle(as version: Representation?) {
    let come: Come? = phase.withLock { phase in
      guard case .unproved(let come) = phase else { return nil }
      if let version, come.answer == nil, come.end == nil {
        phase = .proved(version)
        return nil
      }
      let isRight = come.answer.map { $0.representation == version } ?? false
      phase = isRight && come.end == nil ? .flows : .over
      return come
    }
    guard let come else { return }
    guard let version else {
      // Another address is in use now. So the fetch only fails, which says nothing about this
      // origin.
      origin()?.stop(fetch)
      return sink.ended(fetch, .failed)
    }
    guard let answer = come.answer, answer.representation == version else {
      return giveUp(come.end)
    }
    sink.began(fetch, answer.representation, bytes: answer.bytes, whole: false)
    if !come.bytes.isEmpty {
      sink.received(come.bytes.span.bytes, at: answer.bytes.lowerBound, in: fetch)
      sink.rested(fetch)
    }
    if let end = come.end { sink.ended(fetch, FetchEnd(end)) }
  }

  /// Ends the fetch, for which no request is sent.
  func endUnasked() { note(.cancelled) }

  func accepted(_ answer: AcceptedAnswer) {
    let isRight: Bool? = phase.withLock { phase in
      switch phase {
      case .unproved: phase = .unproved(Come(answer: answer))
      case .proved(let version):
        let isRight = version == answer.representation
        phase = isRight ? .flows : .over
        return isRight
      case .flows, .over: break
      }
      return nil
    }
    switch isRight {
    case true?:
      sink.began(fetch, answer.representation, bytes: answer.bytes, whole: false)
    case false?: giveUp(nil)
    case nil: break
    }
  }

  func received(_ bytes: RawSpan, at offset: Int) {
    let flows = phase.withLock { phase in
      switch phase {
      case .unproved(var come):
        phase = .over  // so that the bytes have one owner while they grow
        bytes.withUnsafeBytes { come.bytes.append(contentsOf: $0) }
        phase = .unproved(come)
        return false
      case .flows: return true
      case .proved, .over: return false
      }
    }
    if flows { sink.received(bytes, at: offset, in: fetch) }
  }

  func rested() {
    let flows = phase.withLock { if case .flows = $0 { true } else { false } }
    if flows { sink.rested(fetch) }
  }

  func ended(_ end: TransferEnd) {
    origin()?.tailEnded(fetch)
    note(end)
  }

  private func note(_ end: TransferEnd) {
    let told: FetchEnd? = phase.withLock { phase in
      switch phase {
      case .unproved(var come):
        come.end = end
        phase = .unproved(come)
        return nil
      case .proved:
        phase = .over
        return FetchEnd(ofTail: end)
      case .flows:
        phase = .over
        return FetchEnd(end)
      case .over: return nil
      }
    }
    if let told { sink.ended(fetch, told) }
  }

  /// Ends the fetch. The sink gets none of its bytes.
  ///
  /// - Parameter end: how the transfer ended. Nil if it can still run. It is then stopped, because
  ///   its answer is of another version.
  private func giveUp(_ end: TransferEnd?) {
    if end == nil { origin()?.stop(fetch) }
    sink.ended(fetch, end.map { FetchEnd(ofTail: $0) } ?? .impossible)
  }
}

extension FetchEnd {
  /// Judges a request for the end of a file that brought no usable bytes. `impossible` says that
  /// the origin would not send the ends of the next files either. Even silence counts as that,
  /// because some origins refuse a second request in this way. Only an answer that broke off, or a
  /// cancelled request, says nothing about the next files.
  fileprivate init(ofTail end: TransferEnd) {
    switch end {
    case .broken, .cancelled: self = .failed
    case .unanswered, .busy, .complete, .notModified, .changed, .doubted, .unsatisfiable, .gone,
      .serverError, .refused, .blocked:
      self = .impossible
    }
  }
}
