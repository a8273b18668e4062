import CFuse
import Glibc
import SystemPackage

/// A kernel request, which must get exactly one answer.
///
/// `@unchecked Sendable`: libfuse takes an answer from any thread. The pointer is not used after
/// the answer.
struct Request: @unchecked Sendable {
  private let request: fuse_req_t

  init(_ request: fuse_req_t?) {
    guard let request else { preconditionFailure("libfuse calls with a request") }
    self.request = request
  }

  var context: SessionContext {
    guard let pointer = fuse_req_userdata(request) else {
      preconditionFailure("set by FuseSession")
    }
    return Unmanaged<SessionContext>.fromOpaque(pointer).takeUnretainedValue()
  }

  var fileSystem: any ReadOnlyFileSystem { context.fileSystem }

  var caller: Caller {
    Caller(thread: fuse_req_ctx(request).pointee.pid)
  }

  /// Runs `body`. If `body` throws an error, that error is the answer.
  func answer(_ body: (any ReadOnlyFileSystem) throws(Errno) -> Void) {
    do throws(Errno) {
      try body(fileSystem)
    } catch {
      fail(error)
    }
  }

  func fail(_ error: Errno) {
    fuse_reply_err(request, error.rawValue)
  }

  /// Returns the registered file that the kernel reads in place of `node`; nil if the kernel
  /// refuses `file`.
  func backing(of node: NodeID, by file: FileDescriptor) -> Backing? {
    context.passthrough.backing(of: node, by: file)
  }

  func done() {
    fuse_reply_err(request, 0)
  }

  func none() {
    fuse_reply_none(request)
  }

  func attributes(_ attributes: Attributes) {
    var status = context.status(of: attributes)
    fuse_reply_attr(request, &status, attributes.validity.seconds)
  }

  func entry(_ attributes: Attributes) {
    var entry = context.entry(for: attributes)
    fuse_reply_entry(request, &entry)
  }

  /// Answers with the attributes of a node that the kernel has asked for by this number.
  func entry(_ attributes: Attributes, as node: KernelNode) {
    var entry = context.entry(for: attributes)
    entry.ino = node.number
    fuse_reply_entry(request, &entry)
  }

  func link(to target: String) {
    fuse_reply_readlink(request, target)
  }

  func opened(_ info: fuse_file_info) -> Bool {
    var info = info
    return fuse_reply_open(request, &info) == 0
  }

  /// Answers a request to open a file that the kernel reads from `backing`. Returns false if the
  /// open was interrupted.
  func opened(_ handle: UInt64, passingThroughTo backing: Backing) -> Bool {
    // The kernel sends no FLUSH when this file is closed. A FLUSH is only needed to end waiting
    // reads, and this file has none. Without the daemon, a FLUSH would fail when a program closes
    // the file.
    var answer = feedfs_open_out(
      fh: handle, open_flags: feedfs_fopen_passthrough | feedfs_fopen_noflush,
      backing_id: backing.number)
    return withUnsafeBytes(of: &answer) { bytes in
      fuse_reply_buf(
        request, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count) == 0
    }
  }

  func statistics(_ statistics: Statistics) {
    var status = statvfs()
    status.f_bsize = 4096
    status.f_frsize = 4096
    status.f_blocks = UInt((statistics.bytes + 4095) / 4096)
    status.f_files = UInt(statistics.files)
    status.f_namemax = 255
    fuse_reply_statfs(request, &status)
  }

  /// Answers with bytes. Returns false if their memory could not be read.
  func bytes(_ bytes: UnsafeRawBufferPointer) -> Bool {
    fuse_reply_buf(
      request, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count) != -EFAULT
  }

  /// Answers with an extended attribute, or with its size if the caller's buffer has 0 bytes.
  func attributeValue(_ value: [UInt8], size: Int) {
    if size == 0 {
      fuse_reply_xattr(request, value.count)
    } else if size < value.count {
      fail(.outOfRange)
    } else {
      value.withUnsafeBytes { _ = bytes($0) }
    }
  }

  /// Fills one answer to a listing with as many of `items` as fit.
  func listing(_ items: [DirectoryItem], size: Int, withAttributes: Bool) {
    withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { buffer in
      var used = 0
      for item in items {
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[used...])
        let needed = add(item, to: rest, withAttributes: withAttributes)
        guard needed <= rest.count else { break }
        used += needed
      }
      _ = bytes(UnsafeRawBufferPointer(rebasing: buffer[..<used]))
    }
  }

  private func add(
    _ item: DirectoryItem, to buffer: UnsafeMutableRawBufferPointer, withAttributes: Bool
  ) -> Int {
    let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
    if withAttributes {
      var entry = context.entry(for: item.attributes)
      return fuse_add_direntry_plus(request, start, buffer.count, item.name, &entry, item.cookie)
    }
    var status = context.status(of: item.attributes)
    return fuse_add_direntry(request, start, buffer.count, item.name, &status, item.cookie)
  }

  /// Announces that the answer comes later, and lets a signal to the caller end the wait. Returns
  /// false if too many requests wait already.
  ///
  /// libfuse gets a number and not a pointer, because a signal can come while the answer is given,
  /// when a pointer could be invalid.
  func park(
    as number: UInt, of handle: UInt64, for cause: String, story: @escaping @Sendable () -> String,
    silence: @escaping @Sendable () -> Duration?, cancel: @escaping @Sendable () -> Void
  ) -> Bool {
    let parked = context.parked
    guard
      parked.park(
        number, by: caller, of: handle, for: cause, story: story, silence: silence, cancel: cancel)
    else { return false }
    fuse_req_interrupt_func(
      request,
      { request, number in
        Request(request).context.interrupted(UInt(bitPattern: number))
      }, UnsafeMutableRawPointer(bitPattern: number))
    return true
  }
}

extension Duration {
  var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
