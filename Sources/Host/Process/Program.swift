import CLinux
import FoundationEssentials
import Glibc
import Storage
package import SystemPackage

/// Another program, which this process can run. It is started by posix_spawn(3), because a fork of
/// a process with threads may hang.
package struct Program: Sendable {
  package var path: String
  package var arguments: [String]
  /// Argument 0 of the program; nil if this is the program's path.
  package var name: String?
  /// `input`, `output` and `errors` become the program's descriptors 0, 1 and 2; nil means
  /// /dev/null.
  package var input: FileDescriptor?
  package var output: FileDescriptor?
  package var errors: FileDescriptor?
  /// Descriptor 3 of the program; nil if there is none.
  package var channel: FileDescriptor?
  /// True if the program leaves the terminal and the process group of its caller, by setsid(2).
  package var startsSession = false

  /// - Parameter name: a path, or a name for `find`.
  package init(_ name: String, _ arguments: String...) {
    path = Self.find(name) ?? name
    self.arguments = arguments
  }

  /// Returns the path of `name`; nil if there is no such program. A name with a slash is a path
  /// already. Any other name is searched for in PATH, and then in system folders that a user's PATH
  /// may lack.
  package static func find(_ name: String) -> String? {
    if name.contains("/") { return name }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folders = path.split(separator: ":").map(String.init) + ["/usr/bin", "/bin", "/usr/sbin"]
    return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }

  /// Starts the program. Returns its process number.
  package func start() throws(Errno) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, descriptor) in [(0, input), (1, output), (2, errors)] as [(Int32, FileDescriptor?)]
    {
      if let descriptor {
        posix_spawn_file_actions_adddup2(&actions, descriptor.rawValue, number)
      } else {
        posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
      }
    }
    if let channel { posix_spawn_file_actions_adddup2(&actions, channel.rawValue, 3) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The program must not inherit the signal mask of the calling thread, because the thread may
    // block signals that the program relies on.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    let flags = Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
    posix_spawnattr_setflags(&attributes, flags | (startsSession ? feedfs_spawn_setsid : 0))
    let strings = ([name ?? path] + arguments).map { strdup($0) } + [nil]
    defer { for string in strings { free(string) } }
    var process: pid_t = 0
    let status = posix_spawn(&process, path, &actions, &attributes, strings, environ)
    guard status == 0 else { throw Errno(rawValue: status) }
    DescriptorLimit.lower(for: process)
    return process
  }

  /// Runs the program to its end. Returns its exit code; nil if it could not be started, or if a
  /// signal ended it.
  package func run() -> Int32? {
    guard let process = try? start(), case .code(let code) = Self.end(of: process) else {
      return nil
    }
    return code
  }

  /// The way in which a program ended.
  package enum End: Hashable, Sendable {
    case code(Int32)
    case signal(Int32)
  }

  /// Waits for the end of a program that `start` has started. Returns nil if the status cannot be
  /// read any more.
  package static func end(of process: Int32) -> End? {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      guard Glibc.errno == EINTR else { return nil }
    }
    return status & 0x7f == 0 ? .code((status >> 8) & 0xff) : .signal(status & 0x7f)
  }
}
