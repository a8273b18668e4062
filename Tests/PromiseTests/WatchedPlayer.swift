import Glibc
import Synchronization
import TestSupport

/// `feedfs play` with an mpv without picture and sound, and the messages of that mpv on its own
/// socket.
final class WatchedPlayer: Sendable {
  let command: ChildProcess
  private let link: ChildProcess
  /// The questions so far.
  private let asked = Mutex(0)
  let log: String

  /// Returns when mpv answers.
  ///
  /// - Parameters:
  ///   - number: of the first file to play, named by its path.
  ///   - terminal: whether the command has a terminal.
  init(
    of feed: MountedFeed, at number: Int? = nil, _ options: [String] = [], mpv: [String] = [],
    terminal: Bool = false
  ) throws {
    let folder = try ChildProcess.run(["mktemp", "-d", feed.folder + "/player-XXXXXX"]).out
    let place = String(folder.dropLast())
    log = place + "/log"
    let all =
      [try BuiltBinary.path("feedfs"), "play", number.map(feed.path) ?? feed.mountPoint] + options
      + [
        "--", "--no-config", "--vo=null", "--ao=null", "--input-ipc-server=\(place)/socket",
        "--log-file=\(log)", "--msg-level=cplayer=trace",
      ] + mpv
    // script(1) gives its command a terminal, and passes its own input to that.
    let line = all.map { "'\($0)'" }.joined(separator: " ")
    command = try ChildProcess(
      terminal ? ["script", "-qec", line, "/dev/null"] : all, environment: feed.environment,
      keepsInputOpen: terminal)
    guard eventually({ access(place + "/socket", F_OK) == 0 }) else {
      throw TestToolError("no mpv: \(command.output.text)\(command.errors.text)")
    }
    link = try ChildProcess(["python3", "-uc", Self.bridge, place], keepsInputOpen: true)
    // The process ID may come in pieces.
    let isThere: @Sendable (String) -> Bool = { $0.hasPrefix("there ") && $0.contains("\n") }
    guard link.output.wait(timeout: .seconds(20), until: isThere) else {
      throw TestToolError(
        "no mpv: \(command.output.text)\(command.errors.text)\(link.errors.text)")
    }
  }

  deinit {
    command.killGroup()
    link.killGroup()
  }

  /// The process ID of mpv.
  var pid: pid_t {
    link.output.text.split(separator: "\n").first.flatMap { pid_t($0.dropFirst(6)) } ?? 0
  }

  /// The names of the files that mpv has begun to open, in order.
  var opened: [String] {
    said("start")
  }

  /// Waits until mpv has begun to open these files, and no others.
  func waits(for names: [String], timeout: Duration = .seconds(20)) -> Bool {
    link.output.wait(timeout: timeout) { _ in opened.count >= names.count } && opened == names
  }

  /// Sends mpv a command: words of JSON.
  func tell(_ words: String) throws {
    try send("{\"command\": [\(words)]}\n")
  }

  private func send(_ line: String) throws {
    do {
      try link.write(line)
    } catch {
      throw TestToolError(
        "mpv does not listen any more: \(error)\n\(link.errors.text)\n\(command.errors.text)\n\(story)"
      )
    }
  }

  /// Sends mpv a command, and returns its answer.
  func ask(_ words: String) throws -> String {
    let number = asked.withLock { count in
      count += 1
      return count
    }
    // Those below are the bridge's own.
    try send("{\"command\": [\(words)], \"request_id\": \(number + 100)}\n")
    guard let answer = link.output.line(after: "answer \(number) ", timeout: .seconds(10)) else {
      throw TestToolError("no answer to \(words): \(link.output.text)\(link.errors.text)")
    }
    return answer
  }

  /// The names in mpv's playlist.
  func list() throws -> [String] {
    try ask("\"get_property\", \"playlist\"").split(separator: " ").map(String.init)
  }

  var position: Double {
    get throws { try Double(ask("\"get_property\", \"time-pos\"")) ?? 0 }
  }

  /// The last lines of mpv's log, without those of each picture.
  var story: String {
    contents(of: log).split(separator: "\n")
      .filter { !$0.contains("frametime") && !$0.contains("video_output_image") }
      .suffix(120).joined(separator: "\n")
  }

  /// Whether mpv has begun to open the file of this name. Of a file that it left at once, it does not
  /// answer the question that `opened` needs.
  func hasOpened(_ name: String) -> Bool {
    contents(of: log).split(separator: "\n").contains {
      $0.contains("Playing: ") && $0.hasSuffix("/" + name)
    }
  }

  /// Whether mpv has shown `words` to its user.
  func hasShown(_ words: String) -> Bool {
    contents(of: log).split(separator: "\n").contains {
      $0.contains("show-text") && $0.contains(words)
    }
  }

  /// The text after `word` in each complete line.
  private func said(_ word: String) -> [String] {
    link.output.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      .filter { $0.hasPrefix(word + " ") }.map { String($0.dropFirst(word.utf8.count + 1)) }
  }

  /// The bridge between mpv's socket and lines of text.
  private static let bridge = """
    import json, os, socket, sys, threading, time
    s = socket.socket(socket.AF_UNIX)
    # It is there, and listened at in the next moment.
    while s.connect_ex(sys.argv[1] + '/socket'): time.sleep(0.01)
    s.sendall(b'{"command": ["get_property", "pid"], "request_id": 8}\\n')
    s.sendall(b'{"command": ["observe_property", 1, "path"]}\\n')
    def talk():
      for line in sys.stdin: s.sendall(line.encode())
    threading.Thread(target=talk, daemon=True).start()
    def name(path): return os.path.basename(path or '')
    first = True
    for line in s.makefile():
      said = json.loads(line)
      data, event, question = said.get('data'), said.get('event'), said.get('request_id')
      if question == 8: print('there', data)
      if question and question > 100:
        if isinstance(data, list): data = ' '.join(name(item['filename']) for item in data)
        print('answer', question - 100, data)
      if event == 'start-file':
        first = False
        s.sendall(b'{"command": ["get_property", "path"], "request_id": 9}\\n')
      # What was opened before we came.
      if event == 'property-change' and first:
        first = False
        if data: print('start', name(data))
      if question == 9 and data: print('start', name(data))
    """
}
