import Testing

@testable import Fuse

/// The first messages through the device, byte by byte.
@Suite struct HandshakeTests {
  private static let hasMoreFlags: UInt32 = 1 << 30
  private static let passthrough: UInt32 = 1 << 5

  @Test func anOfferIsKnownByTheNumberOfItsRequest() {
    let request = Self.request(flags: Self.hasMoreFlags | 1, flags2: Self.passthrough | 1)
    #expect(request.withUnsafeBytes { Handshake.offer(in: $0) } == 0x0102_0304)
  }

  @Test(arguments: [
    request(flags: 0, flags2: passthrough),
    request(flags: hasMoreFlags, flags2: ~passthrough),
    request(opcode: 3, flags: hasMoreFlags, flags2: passthrough),
    Array(request(flags: hasMoreFlags, flags2: passthrough).dropLast(48)),
    [],
  ])
  func whatOffersNothingIsNoOffer(request: [UInt8]) {
    #expect(request.withUnsafeBytes { Handshake.offer(in: $0) } == nil)
  }

  @Test func anAcceptedOfferChangesThreeFieldsAndNoOther() {
    var reply = [UInt8](repeating: 0, count: 64)
    reply.set(1, at: 12)
    reply.set(2, at: 32)
    reply.set(7, at: 40)
    var expected = reply
    expected.set(1 | Self.hasMoreFlags, at: 12)
    expected.set(2 | Self.passthrough, at: 32)
    expected.set(1, at: 36)
    #expect(reply.withUnsafeMutableBytes { Handshake.accept(in: $0) })
    #expect(reply == expected)
  }

  @Test(arguments: [0, 8, 24, 63, 65]) func aReplyOfAnotherFormIsLeftAsItIs(size: Int) {
    var reply = [UInt8](repeating: 9, count: size)
    #expect(!reply.withUnsafeMutableBytes { Handshake.accept(in: $0) })
    #expect(reply == [UInt8](repeating: 9, count: size))
  }

  @Test(arguments: [NodeID.root, NodeID(number: 17), NodeID(number: 0x7fff_ffff_ffff_ffff)])
  func bothNodesOfAFileAreItsOwn(node: NodeID) {
    for passesThrough in [true, false] {
      let kernel = KernelNode(node, passesThrough: passesThrough)
      #expect(kernel.node == node)
      #expect(kernel.passesThrough == passesThrough)
      #expect(KernelNode(number: kernel.number) == kernel)
      #expect(NodeID(kernel: kernel.number) == node)
    }
  }

  /// An INIT request as the kernel sends it: a header of 40 bytes, then fuse_init_in.
  private static func request(opcode: UInt32 = 26, flags: UInt32, flags2: UInt32) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 104)
    bytes.set(104, at: 0)
    bytes.set(opcode, at: 4)
    bytes.set(0x0102_0304, at: 8)
    bytes.set(7, at: 40)
    bytes.set(flags, at: 52)
    bytes.set(flags2, at: 56)
    return bytes
  }
}

extension [UInt8] {
  /// Stores a number of four bytes in this machine's byte order.
  fileprivate mutating func set(_ number: UInt32, at offset: Int) {
    Swift.withUnsafeBytes(of: number) { replaceSubrange(offset..<offset + 4, with: $0) }
  }
}
