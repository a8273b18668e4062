package import SystemPackage

/// The pending answer to a read. It must be given exactly once, from any thread.
package struct ReadReply: Sendable {
  private let source: RequestSource<[UInt8]>
  /// True if a program reads by itself, as read(2) does. False if the kernel fills its own pages,
  /// for sendfile(2), splice(2), a mapping or a read-ahead. Such a read gets no byte beyond the
  /// size that the kernel knows.
  package let hasOwner: Bool

  init(_ request: Request, of handle: UInt64, hasOwner: Bool) {
    source = RequestSource(request, of: handle)
    self.hasOwner = hasOwner
  }

  /// Creates the reply to a read of this process.
  package init(_ request: DirectRequest<[UInt8]>, hasOwner: Bool = true) {
    source = .direct(request)
    self.hasOwner = hasOwner
  }

  /// Announces that the answer comes later, and names the `cause` of the wait. Must be called
  /// before another thread can answer. `cancel` is called if the reader is about to end, at any
  /// time and from any thread. If the read is overdue, `story` describes the work that is done for
  /// it.
  ///
  /// - Parameter silence: returns the time since the last bytes came, if the wait can go on as long
  ///   as bytes come; nil if the wait has a deadline of its own.
  /// - Returns: false if too many reads wait already, in all or for the same cause.
  package func willWait(
    for cause: String, story: @escaping @Sendable () -> String,
    silence: @escaping @Sendable () -> Duration? = { nil },
    cancel: @escaping @Sendable () -> Void
  ) -> Bool {
    source.willWait(for: cause, story: story, silence: silence, cancel: cancel)
  }

  /// Answers with `bytes`. Returns false if the memory of `bytes` could not be read. The reader
  /// then gets an error as its answer.
  package func bytes(_ bytes: RawSpan) -> Bool {
    switch source {
    case .kernel(let request, let number, _):
      request.context.parked.answered(number)
      return bytes.withUnsafeBytes { request.bytes($0) }
    case .direct(let request):
      let copy = bytes.withUnsafeBytes { copied($0) }
      request.answer(copy.map { .success($0) } ?? .failure(.badAddress))
      return copy != nil
    }
  }

  package func fail(_ error: Errno) {
    source.fail(error)
  }
}

/// Returns a copy of `bytes`; nil if their memory cannot be read. Their memory cannot be read if it
/// is part of a mapped file that was truncated. So the kernel copies the bytes through a pipe. It
/// returns an error then, where a copy by this process would crash.
private func copied(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
  guard !bytes.isEmpty else { return [] }
  guard let (reader, writer) = try? FileDescriptor.pipe() else { return nil }
  defer {
    try? reader.close()
    try? writer.close()
  }
  return try? [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, count in
    while count < bytes.count {
      // A pipe takes 16 pages before it blocks.
      let piece = UnsafeRawBufferPointer(rebasing: bytes[count...].prefix(16 << 12))
      var rest = try writer.write(piece)
      while rest > 0 {
        let room = UnsafeMutableRawBufferPointer(
          rebasing: UnsafeMutableRawBufferPointer(buffer)[count...].prefix(rest))
        let taken = try reader.read(into: room)
        (count, rest) = (count + taken, rest - taken)
      }
    }
  }
}
