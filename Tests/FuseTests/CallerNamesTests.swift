import Glibc
import Locks
import TestSupport
import Testing

@testable import Fuse

/// The name of a calling program is its present one, however often it is asked for.
@Suite(.timeLimit(.minutes(1))) struct CallerNamesTests {
  private let names = CallerNames()

  @Test func anExecIsSeenAtOnce() throws {
    let child = try ChildProcess(["sh", "-c", "read line; exec sleep 60"], keepsInputOpen: true)
    // The kernel lets the parent go on a moment before the new program has its name.
    while Caller(thread: child.pid).program != "sh" { sched_yield() }
    #expect(names.program(of: child.pid) == "sh")
    child.closeInput()
    while Caller(thread: child.pid).program == "sh" { sched_yield() }

    #expect(names.program(of: child.pid) == "sleep")
  }

  @Test func aThreadThatHasEndedHasNoName() throws {
    let thread = Locked<(pid: pid_t, name: String)>((0, ""))
    try startThread { [names] in
      let pid = Self.ownThread
      let name = names.program(of: pid)
      thread.withLock { $0 = (pid, name) }
    }
    while thread.withLock({ $0.pid == 0 }) { sched_yield() }
    let (pid, name) = thread.withLock { $0 }
    while access("/proc/\(pid)", F_OK) == 0 { sched_yield() }

    #expect(!name.isEmpty)
    #expect(names.program(of: pid).isEmpty)
  }

  @Test func manyCallersInTurnsGetTheirOwnNames() throws {
    let programs = ["sleep", "cat", "tail"]
    let children = try [["sleep", "60"], ["cat"], ["tail", "-f", "/dev/null"]].map {
      try ChildProcess($0, keepsInputOpen: true)
    }
    for (child, program) in zip(children, programs) {
      while Caller(thread: child.pid).program != program { sched_yield() }
    }
    for turn in 0..<30 {
      let place = turn * 7 % 3
      #expect(names.program(of: children[place].pid) == programs[place])
    }
  }

  /// The number of the calling thread.
  private static var ownThread: pid_t {
    var link = [CChar](repeating: 0, count: 64)
    guard readlink("/proc/thread-self", &link, link.count - 1) > 0 else { return 0 }
    // "PROCESS/task/THREAD"
    let bytes = link.map { UInt8(bitPattern: $0) }.prefix { $0 != 0 }
    let text = String(decoding: bytes, as: UTF8.self)
    return text.split(separator: "/").last.flatMap { pid_t($0) } ?? 0
  }
}
