import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// Readers that may wait for ever, and ways to observe them.
extension MountedFeed {
  /// Reads with `dd`, whose standard input is the file from the moment it is open.
  func reader(of path: String, at offset: Int = 0, count: Int = 64 << 10) throws -> ChildProcess {
    try ChildProcess([
      "dd", "if=\(path)", "bs=65536", "iflag=skip_bytes,count_bytes,fullblock",
      "skip=\(offset)", "count=\(count)", "status=none",
    ])
  }

  /// Reads everything from `offset` on with `tail`, which handles no signal; `dd` handles SIGINT.
  func plainReader(of path: String, from offset: Int) throws -> ChildProcess {
    try ChildProcess(["tail", "-c", "+\(offset + 1)", path])
  }

  /// Waits until each of `readers` waits in a read of its path.
  func waitUntilReading(_ readers: [(child: ChildProcess, path: String)]) -> Bool {
    eventually { readers.allSatisfy { isReading($0.child, $0.path) } }
  }

  /// Returns all bytes of `path`, read by a child.
  func bytes(of path: String) throws -> [UInt8] {
    let child = try ChildProcess(["cat", path])
    guard child.wait(timeout: .seconds(30)) == 0 else {
      throw TestToolError("cat \(path): \(child.errors.text)")
    }
    return child.output.bytes
  }

  /// Runs the built `feedfs` with arguments from a table.
  func feedfs(_ arguments: [String]) throws -> (status: Int32, out: String, err: String) {
    try ChildProcess.run(command(arguments), environment: environment, timeout: .seconds(30))
  }

  /// The number of the kernel's connection to the daemon: the minor number of the mount's device.
  func connection() throws -> UInt {
    var status = stat()
    guard stat(mountPoint, &status) == 0 else { throw ReadFailure(errno: errno) }
    // As minor(3).
    return UInt(status.st_dev & 0xff | status.st_dev >> 12 & ~0xff)
  }

  /// Ends a connection of the kernel, even if its mount is gone and its daemon cannot end.
  func abort(_ connection: UInt) throws {
    let script = """
      mkdir -p "$1" && mount -t fusectl fusectl "$1" && echo 1 >"$1/$2/abort"; umount "$1"; rmdir "$1"
      """
    _ = try ChildProcess.run(["sh", "-c", script, "sh", folder + "/connections", "\(connection)"])
  }

  /// Whether the kernel has the feed mounted.
  var isMounted: Bool {
    contents(of: "/proc/self/mounts").contains(" \(mountPoint) fuse")
  }

  /// The clean marks of the index files in the cache: byte 20 of each, see `IndexHeader`.
  func cleanMarks() throws -> [UInt8] {
    let found = try ChildProcess.run(["find", cacheDirectory, "-name", "*.idx"])
    return try found.out.split(separator: "\n").map { path in
      let mark = try ChildProcess(["dd", "if=\(path)", "bs=1", "skip=20", "count=1", "status=none"])
      guard mark.wait(timeout: .seconds(10)) == 0, let byte = mark.output.bytes.first else {
        throw TestToolError("no clean mark in \(path)")
      }
      return byte
    }
  }

  /// Bytes on the disk of all data files.
  func storedBytes() throws -> Int {
    let sizes = try ChildProcess.run(
      ["find", cacheDirectory, "-name", "*.data", "-printf", "%b\n"])
    return sizes.out.split(separator: "\n").reduce(0) { $0 + 512 * (Int($1) ?? 0) }
  }
}

/// Whether a cat or dd reported a read error.
func saidError(_ child: ChildProcess) -> Bool {
  ["Input/output error", "Transport endpoint is not connected", "Stale file handle"]
    .contains { child.errors.text.contains($0) }
}

/// Polls until `condition` holds; returns false if it does not within `timeout`.
func eventually(
  within timeout: Duration = .seconds(15), every pause: Duration = .milliseconds(10),
  _ condition: () throws -> Bool
) rethrows -> Bool {
  let deadline = ContinuousClock.now + timeout
  while try !condition() {
    guard .now < deadline else { return false }
    poll(nil, 0, Int32(pause / .milliseconds(1)))  // /proc does not report its changes
  }
  return true
}

/// Returns the result of `body` and its time, and prints the time into the log of the tests.
func measured<Result>(
  _ what: String, _ body: () throws -> Result
) rethrows -> (result: Result, time: Duration) {
  let start = ContinuousClock.now
  let result = try body()
  let time = ContinuousClock.now - start
  print("measured: \(what): \(Int(time / .milliseconds(1))) ms")
  return (result, time)
}

/// The state of each thread of a process, from proc(5), for a message about a hang.
func whereabouts(of pid: pid_t) -> String {
  let tasks = "/proc/\(pid)/task"
  let numbers = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
  return numbers.sorted().map { number in
    let facts = ["comm", "wchan", "syscall", "stack"].map { fact in
      contents(of: "\(tasks)/\(number)/\(fact)").replacing("\n", with: " ")
    }
    return "\n\(number) \(facts.joined(separator: " "))"
  }.joined()
}

/// Whether the main thread of `child` waits in a read of `path`.
func isReading(_ child: ChildProcess, _ path: String) -> Bool {
  // proc(5): the number of the system call that the thread waits in, its arguments in hexadecimal.
  let call = contents(of: "/proc/\(child.pid)/syscall").split(separator: " ")
  guard call.count > 1, call[0] == readCall, let descriptor = Int(call[1].dropFirst(2), radix: 16)
  else { return false }
  return link("/proc/\(child.pid)/fd/\(descriptor)") == path
}

/// Whether `child` waits in an open(2).
func isOpening(_ child: ChildProcess) -> Bool {
  contents(of: "/proc/\(child.pid)/syscall").hasPrefix(openCall + " ")
}

#if arch(arm64)
  private let readCall = "63"
  private let openCall = "56"
#else
  private let openCall = "257"
  private let readCall = "0"
#endif

/// The target of a symbolic link; empty if there is none.
func link(_ path: String) -> String {
  var bytes = [UInt8](repeating: 0, count: 4096)
  let count = bytes.withUnsafeMutableBytes { buffer in
    buffer.withMemoryRebound(to: CChar.self) { text in
      text.baseAddress.map { readlink(path, $0, text.count) } ?? 0
    }
  }
  return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
}

/// The text of a small file outside of all mounts; empty if it cannot be read.
func contents(of path: String) -> String {
  guard let file = fopen(path, "r") else { return "" }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var piece = [UInt8](repeating: 0, count: 64 << 10)
  while case let count = fread(&piece, 1, piece.count, file), count > 0 { bytes += piece[..<count] }
  return String(decoding: bytes, as: UTF8.self)
}
