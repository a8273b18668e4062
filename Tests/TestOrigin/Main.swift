import Glibc

/// The test origin: an HTTP/1.1 server whose content, network and faults a test controls.
///
/// The server prints `READY PORT` when it listens. It ends on SIGTERM, SIGINT or, unless `--stay` is
/// given, at the end of its standard input: the server never outlives the process that started it.
@main
struct Main {
  static func main() {
    do throws(OptionError) {
      let options = try Options(CommandLine.arguments.dropFirst())
      try run(options)
    } catch {
      fail(error.description)
    }
  }

  private static func run(_ options: Options) throws(OptionError) {
    signal(SIGPIPE, SIG_IGN)
    raiseDescriptorLimit()
    endOnSignals()
    let origin = Origin(site: Site(root: options.root), network: options.network)
    guard let port = origin.listen(address: options.address, port: options.port) else {
      throw OptionError("cannot listen on \(options.address):\(options.port): \(errnoText())")
    }
    say("READY \(port)\n", to: STDOUT_FILENO)
    if options.stays {
      while true { pause() }
    }
    waitForEndOfInput()
    exit(0)
  }

  /// Raises the limit: hundreds of connections take three descriptors each, and the usual soft
  /// limit is 1024.
  private static func raiseDescriptorLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  /// Blocks the signals, also for all later threads, which inherit that, and starts a thread that
  /// waits for the signals.
  private static func endOnSignals() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    sigaddset(&signals, SIGINT)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    let awaited = signals
    startThread {
      var signals = awaited
      var caught: Int32 = 0
      sigwait(&signals, &caught)
      exit(0)
    }
  }

  private static func waitForEndOfInput() {
    var byte: UInt8 = 0
    while true {
      let count = read(STDIN_FILENO, &byte, 1)
      if count == 0 || (count < 0 && errno != EINTR) { return }
    }
  }

  private static func fail(_ message: String) -> Never {
    say("testorigin: \(message)\n", to: STDERR_FILENO)
    exit(64)
  }

  private static func say(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    _ = write(descriptor, bytes, bytes.count)
  }
}

/// The error text of this thread's last failed call.
func errnoText() -> String {
  String(cString: strerror(errno))
}
