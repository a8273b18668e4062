import Blocks
import Glibc
import Locks
import SystemPackage
import Testing

@testable import Fuse

/// Requests of this process get the answers that the kernel would get.
@Suite struct DirectRequestTests {
  @Test func aReadGetsItsBytesOrItsError() {
    let answers = Answers<[UInt8]>()
    #expect(answers.give([1, 2, 3]))
    #expect(answers.give([]))
    ReadReply(answers.request()).fail(.staleNFSFileHandle)
    #expect(answers.all == [.success([1, 2, 3]), .success([]), .failure(.staleNFSFileHandle)])
  }

  @Test func aLongAnswerIsCopiedWhole() {
    let answers = Answers<[UInt8]>()
    let bytes = (0..<300_001).map { UInt8(truncatingIfNeeded: $0 / 7) }
    #expect(answers.give(bytes))
    #expect(answers.all == [.success(bytes)])
  }

  /// Two mapped pages of a file that has only one.
  @Test func memoryThatCannotBeReadIsAnAnswerToo() throws {
    let stream = try #require(tmpfile())
    defer { fclose(stream) }
    let file = fileno(stream)
    try #require(ftruncate(file, 4096) == 0)
    let memory = try #require(mmap(nil, 8192, PROT_READ, MAP_SHARED, file, 0))
    defer { munmap(memory, 8192) }
    let answers = Answers<[UInt8]>()
    let mapped = UnsafeRawBufferPointer(start: memory, count: 8192)
    let isTaken = ReadReply(answers.request()).bytes(mapped.bytes)
    #expect(!isTaken)
    #expect(answers.all == [.failure(.badAddress)])
  }

  @Test func aWaitIsEndedWheneverTheProgramEnds() {
    let answers = Answers<[UInt8]>()
    let before = answers.request()
    let after = answers.request()
    before.cancel()
    for request in [before, after] {
      let reply = ReadReply(request)
      let mayWait = reply.willWait(for: "x", story: { "" }) { reply.fail(.interrupted) }
      #expect(mayWait)
    }
    #expect(answers.all == [.failure(.interrupted)])
    after.cancel()
    #expect(answers.all == [.failure(.interrupted), .failure(.interrupted)])
    // Nothing waits any more.
    after.cancel()
    #expect(answers.all.count == 2)
  }

  @Test func anOpenIsByTheProgramThatAsksAndNeverPassesThrough() {
    let answers = Answers<any OpenFile>()
    let reply = OpenReply(answers.request(by: "tar", on: 7))
    #expect(reply.program == "tar" && reply.thread == 7 && !reply.passesThrough)
    let file = ClosedFile()
    reply.opened(file, .keep)
    #expect(answers.values.first === file)
  }

  @Test func aRequestForAttributesGetsThem() {
    let answers = Answers<Attributes>()
    let reply = AttributesReply(answers.request(by: "ls"))
    #expect(reply.program == "ls")
    reply.attributes(
      Attributes(
        inode: .root, kind: .directory, size: 9, storedBytes: 0, modified: 0, validity: .zero))
    #expect(answers.values.map(\.size) == [9])
  }
}

/// All answers that came, in their order.
private final class Answers<Value: Sendable>: Sendable {
  private let box = Locked<[Result<Value, Errno>]>([])

  func request(by program: String = "", on thread: Int32 = 0) -> DirectRequest<Value> {
    DirectRequest(by: program, on: thread) { [box] answer in
      box.withLock { $0.append(answer) }
    }
  }

  var all: [Result<Value, Errno>] {
    box.withLock { $0 }
  }

  var values: [Value] {
    all.compactMap { try? $0.get() }
  }
}

extension Answers<[UInt8]> {
  func give(_ bytes: [UInt8]) -> Bool {
    ReadReply(request()).bytes(bytes.span.bytes)
  }
}

private final class ClosedFile: OpenFile {
  func read(_ range: ByteRange, reply: ReadReply) {}
  func close() {}
}
