import Glibc
import TestSupport

/// A terminal of a given size, and a program in it.
///
/// Python makes the pty; the child's standard input is typed into it.
struct Terminal {
  let child: ChildProcess

  init(
    _ command: [String], columns: Int = 80, lines: Int = 24, environment: [String: String?]
  ) throws {
    var environment = environment
    environment["TERM"] = environment["TERM"] ?? "xterm-256color"
    for name in ["LC_ALL", "LC_CTYPE"] { environment[name] = environment[name] ?? .some(nil) }
    environment["LANG"] = environment["LANG"] ?? "C.UTF-8"
    environment["NO_COLOR"] = environment["NO_COLOR"] ?? .some(nil)
    child = try ChildProcess(
      ["python3", "-c", Self.program, "\(columns)", "\(lines)"] + command,
      environment: environment, keepsInputOpen: true)
  }

  /// Runs a program to its end, in a terminal.
  static func run(
    _ command: [String], columns: Int = 80, environment: [String: String?]
  ) throws -> (status: Int32, text: String) {
    let terminal = try Terminal(command, columns: columns, environment: environment)
    guard let status = terminal.child.wait(timeout: .seconds(30)) else {
      throw TestToolError("\(command) has not ended: \(terminal.child.output.text)")
    }
    return (status, terminal.child.output.text)
  }

  /// Makes the terminal twice as wide.
  func widen() {
    child.signal(SIGUSR1)
  }

  /// Continues the stopped program, as a shell would.
  func goOn() {
    child.signal(SIGUSR2)
  }

  private static let program = """
    import os, pty, sys, fcntl, termios, struct, select, signal
    def size(width): return struct.pack("HHHH", int(sys.argv[2]), int(sys.argv[1]) * width, 0, 0)
    child, terminal = pty.fork()
    if child == 0:
      fcntl.ioctl(0, termios.TIOCSWINSZ, size(1))
      os.execvp(sys.argv[3], sys.argv[3:])
    signal.signal(signal.SIGUSR1, lambda *_: fcntl.ioctl(terminal, termios.TIOCSWINSZ, size(2)))
    def go_on(*_):
      os.waitid(os.P_PID, child, os.WSTOPPED)
      os.kill(child, signal.SIGCONT)
    signal.signal(signal.SIGUSR2, go_on)
    sources = [terminal, 0]
    while True:
      ready, _, _ = select.select(sources, [], [])
      if terminal in ready:
        try: text = os.read(terminal, 65536)
        except OSError: break
        if not text: break
        os.write(1, text)
      if 0 in ready:
        text = os.read(0, 1024)
        if text: os.write(terminal, text)
        else: sources = [terminal]
    status = os.waitpid(child, 0)[1]
    sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
    """
}
