import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(1))) struct EpochTests {
  private let temporary = TemporaryDirectory()

  private func epoch() throws -> Epoch {
    try Epoch(in: File(directory: temporary.path))
  }

  @Test func anEpochGoesOnWhileItsUsesEndInOrder() throws {
    let first = try epoch()
    first.end()
    let second = try epoch()
    #expect(second.value == first.value)
    second.end()
    #expect(try epoch().value == first.value)
  }

  @Test func aUseThatDidNotEndBeginsAnother() throws {
    let first = try epoch()
    let second = try epoch()
    #expect(second.value != first.value)
    second.end()
    #expect(try epoch().value == second.value)
  }

  @Test(arguments: [[], [1], Array(repeating: 1, count: 8)] as [[UInt8]])
  func aTornFileIsNoEpoch(bytes: [UInt8]) throws {
    let first = try epoch()
    first.end()
    let folder = try File(directory: temporary.path)
    try folder.remove("epoch")
    try File("epoch", in: folder, for: .create).write(bytes, at: 0)
    #expect(try epoch().value != first.value)
  }
}
