import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ProcessTests {
  @Test func theOriginEndsWithItsStandardInput() throws {
    let origin = try started([])
    origin.closeInput()

    #expect(origin.wait(timeout: .seconds(20)) == 0)
  }

  @Test func theOriginThatStaysEndsOnSIGTERM() throws {
    let origin = try started(["--stay"])
    origin.closeInput()
    let port = try #require(Int(origin.output.text.split(separator: " ")[1].dropLast()))
    var connection = try RawConnection(port: port)
    #expect(try connection.exchange("GET", "/pattern/a").status == 200)
    origin.terminate()

    #expect(origin.wait(timeout: .seconds(20)) == 0)
  }

  @Test(arguments: [["--port", "x"], ["--what", "1"], ["--rate"], ["--latency-ms", "-1"]])
  func aWrongOptionIsRefused(options: [String]) throws {
    let result = try ChildProcess.run([try BuiltBinary.path("testorigin")] + options)

    #expect(result.status == 64)
    #expect(result.err.hasPrefix("testorigin: "))
  }

  @Test func aStoppedOriginRefusesConnections() throws {
    let origin = try OriginProcess()
    origin.stop()

    #expect(throws: TestToolError.self) { try RawConnection(port: origin.port) }
  }

  @Test func theOriginCanRefuseConnectionsForAWhile() throws {
    let origin = try OriginProcess()
    var old = try RawConnection(port: origin.port)
    _ = try old.exchange("GET", "/pattern/a.mp4?size=1")
    try origin.stopListening()
    #expect(old.receive().end == .closed)
    #expect(throws: TestToolError.self) { try RawConnection(port: origin.port) }
    #expect(try origin.log().count == 1)

    try origin.listenAgain()
    var new = try RawConnection(port: origin.port)
    #expect(try new.exchange("GET", "/pattern/a.mp4?size=1").status == 200)
  }

  @Test func aFrozenOriginAcceptsAndSaysNothing() throws {
    let origin = try OriginProcess()
    origin.freeze()
    var connection = try RawConnection(port: origin.port, timeout: .milliseconds(50))
    #expect(try connection.exchange("GET", "/pattern/a.mp4?size=1").end == .silent)
    origin.thaw()

    try origin.wait(requests: 1, idle: true)
    #expect(try origin.log().map(\.status) == [200])
  }

  @Test func aChildIsRunToItsEnd() throws {
    let result = try ChildProcess.run(
      ["sh", "-c", "echo out $A-$HOME; echo err >&2; exit 3"],
      environment: ["A": "b", "HOME": nil])

    #expect(result.status == 3)
    #expect(result.out == "out b-\n")
    #expect(result.err == "err\n")
  }

  @Test func moreOutputThanAPipeHoldsIsTaken() throws {
    let result = try ChildProcess.run(["sh", "-c", "head -c 3000000 /dev/zero"])

    #expect(result.out.utf8.count == 3_000_000)
  }

  @Test func aBackgroundProcessThatKeepsTheOutputHoldsNobodyUp() throws {
    let result = try ChildProcess.run(["sh", "-c", "sleep 1000 & echo started"])

    #expect(result.out == "started\n")
  }

  @Test func aSignalIsTheStatusOfItsChild() throws {
    let child = try ChildProcess(["cat"], keepsInputOpen: true)
    try child.write("hello\n")
    #expect(child.output.wait(timeout: .seconds(20)) { $0 == "hello\n" })
    #expect(child.isRunning)
    child.signal(SIGKILL)

    #expect(child.wait(timeout: .seconds(20)) == 128 + SIGKILL)
    #expect(!child.isRunning)
    child.terminate()
  }

  @Test func aChildThatTakesTooLongIsAnError() {
    #expect(throws: TestToolError.self) {
      try ChildProcess.run(["sleep", "1000"], timeout: .milliseconds(20))
    }
  }

  @Test func aProgramThatIsNotThereIsAnError() {
    #expect(throws: TestToolError.self) { try ChildProcess.run(["/no/such/program"]) }
    #expect(throws: TestToolError.self) { try BuiltBinary.path("no such program") }
  }

  @Test func theWholeGroupDiesWithItsOwner() throws {
    var owner: ChildProcess? = try ChildProcess(["sh", "-c", "sleep 1000 & echo $!; wait"])
    let output = try #require(owner?.output)
    #expect(output.wait(timeout: .seconds(20)) { $0.hasSuffix("\n") })
    owner = nil

    // The output ends when the last process that could write to it has ended.
    #expect(output.waitForEnd(timeout: .seconds(20)))
  }

  private func started(_ options: [String]) throws -> ChildProcess {
    let origin = try ChildProcess(
      [try BuiltBinary.path("testorigin")] + options, keepsInputOpen: true)
    try #require(origin.output.wait(timeout: .seconds(20)) { $0.hasSuffix("\n") })
    return origin
  }
}
