/// The first exchange with the kernel, as bytes. libfuse before 3.17 does not know passthrough. So
/// feedfs itself reads the kernel's offer when it comes through the device, and accepts it in the
/// reply.
///
/// ```
/// request  0 fuse_in_header      4  opcode       8  unique
///         40 fuse_init_in       52  flags       56  flags2
/// reply    0 fuse_out_header     8  unique
///          0 fuse_init_out      12  flags       32  flags2      36  max_stack_depth
/// ```
/// Source: include/uapi/linux/fuse.h of Linux 6.9, version 7.40 of the protocol.
enum Handshake {
  private static let initOpcode: UInt32 = 26
  private static let hasMoreFlags: UInt32 = 1 << 30  // FUSE_INIT_EXT: flags2 counts
  private static let passthrough: UInt32 = 1 << 5  // FUSE_PASSTHROUGH, bit 37 of both together
  /// With 1, the cached files can be on a plain file system, but not on a stacked one (overlayfs).
  /// Each level of stacking costs kernel stack, and the levels above this mount count too.
  private static let maxStackDepth: UInt32 = 1

  /// The sizes of the reply's header and of the part behind the header, in bytes.
  static let headerSize = 16
  static let replySize = 64

  /// Returns the number (`unique`) of `request` if it offers passthrough; nil if not.
  static func offer(in request: UnsafeRawBufferPointer) -> UInt64? {
    guard request.count >= 60, request.word(at: 4) == initOpcode,
      request.word(at: 52) & hasMoreFlags != 0, request.word(at: 56) & passthrough != 0
    else { return nil }
    return request.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
  }

  /// Returns the number (`unique`) of the request that a reply with this header answers; 0 if there
  /// is none.
  static func number(in header: UnsafeRawBufferPointer) -> UInt64 {
    guard header.count >= headerSize else { return 0 }
    return header.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
  }

  /// Accepts the offer in `reply`, which is the part after the header. Returns false if `reply` has
  /// another form.
  static func accept(in reply: UnsafeMutableRawBufferPointer) -> Bool {
    guard reply.count == replySize else { return false }
    reply.set(reply.word(at: 12) | hasMoreFlags, at: 12)
    reply.set(reply.word(at: 32) | passthrough, at: 32)
    reply.set(max(reply.word(at: 36), maxStackDepth), at: 36)
    return true
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func word(at offset: Int) -> UInt32 {
    loadUnaligned(fromByteOffset: offset, as: UInt32.self)
  }
}

extension UnsafeMutableRawBufferPointer {
  fileprivate func word(at offset: Int) -> UInt32 {
    UnsafeRawBufferPointer(self).word(at: offset)
  }

  fileprivate func set(_ word: UInt32, at offset: Int) {
    storeBytes(of: word, toByteOffset: offset, as: UInt32.self)
  }
}
