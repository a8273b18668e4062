import CFuse
package import SystemPackage

/// The pending answer to an open. It must be given exactly once, from any thread.
///
/// `@unchecked Sendable`: the file information is a copy of the kernel's, and is never shared.
package struct OpenReply: @unchecked Sendable {
  /// The rule by which the kernel caches an open file.
  package enum Caching: Sendable {
    /// The kernel keeps the file's pages. They stay right, because one inode is one version.
    case keep
    /// The file grows. Each read comes to the daemon, even beyond the end that the kernel knows.
    /// The kernel refuses a shared mapping, and keeps the pages of other opens.
    case grows
    /// The kernel caches nothing, because the content is made at each open.
    case none
    /// The kernel reads this other file, which has the same bytes, and asks the daemon for no
    /// bytes. The descriptor need not stay open. Allowed only if the reply `passesThrough`.
    case passthrough(FileDescriptor)
  }

  private let source: RequestSource<any OpenFile>
  private let node: KernelNode
  private let info: fuse_file_info

  init(_ request: Request, of node: KernelNode, _ info: fuse_file_info) {
    source = RequestSource(request)
    self.node = node
    self.info = info
  }

  /// Creates the reply to an open of this process. The process gets the opened file, and calls its
  /// `read` and `close` itself.
  package init(_ request: DirectRequest<any OpenFile>) {
    source = .direct(request)
    node = KernelNode(.root, passesThrough: false)
    info = fuse_file_info()
  }

  /// The name of the opening program; empty if the program is gone already.
  package var program: String {
    source.program
  }

  /// The names of the opening process and of its parent process. Each access to this property reads
  /// files in /proc.
  package var processes: [String] {
    source.processes
  }

  /// The names of the opening thread and of its process. Each access to this property reads files
  /// in /proc.
  package var names: [String] {
    [source.program] + source.processes.prefix(1)
  }

  /// The arguments of the opening program. Each access to this property reads a file in /proc.
  package var arguments: [String] {
    source.arguments
  }

  /// The opening thread; 0 if this process cannot see it.
  package var thread: Int32 {
    source.thread
  }

  /// Whether the answer must be `Caching.passthrough` or ESTALE. After ESTALE the kernel looks the
  /// name up again.
  package var passesThrough: Bool {
    node.passesThrough
  }

  /// Announces that the answer comes later, as `ReadReply.willWait` does.
  package func willWait(
    for cause: String, story: @escaping @Sendable () -> String,
    silence: @escaping @Sendable () -> Duration? = { nil },
    cancel: @escaping @Sendable () -> Void
  ) -> Bool {
    source.willWait(for: cause, story: story, silence: silence, cancel: cancel)
  }

  /// Answers with `file`. The file is open until its `close` is called.
  package func opened(_ file: any OpenFile, _ caching: Caching) {
    switch source {
    case .kernel(let request, let number, _):
      request.context.parked.answered(number)
      opened(file, caching, by: request)
    case .direct(let request): request.answer(.success(file))
    }
  }

  package func fail(_ error: Errno) {
    source.fail(error)
  }

  private func opened(_ file: any OpenFile, _ caching: Caching, by request: Request) {
    var info = info
    switch caching {
    case .keep: info.keep_cache = 1  // otherwise a second open waits for a read
    case .none: info.direct_io = 1
    case .grows:
      info.direct_io = 1
      info.keep_cache = 1
    case .passthrough(let other): return passThrough(file, to: other, by: request)
    }
    info.fh = OpenHandle(file).retained()
    // The kernel never releases an open that was interrupted before its answer came.
    if !request.opened(info) { OpenHandle.release(info.fh).file.close() }
  }

  private func passThrough(
    _ file: any OpenFile, to other: FileDescriptor, by request: Request
  ) {
    guard let backing = request.backing(of: node.node, by: other) else {
      file.close()
      return request.fail(.staleNFSFileHandle)
    }
    let handle = OpenHandle(file, backing: backing).retained()
    if !request.opened(handle, passingThroughTo: backing) {
      OpenHandle.release(handle).file.close()
    }
  }
}
