import ArgumentParser
import FeedMount
import Feeds
import Glibc

/// Prints lines, without what could steer a terminal: all that commands have to say goes this way.
func say(_ text: String, terminator: String = "\n") {
  print(PrintableText.lines(text), terminator: terminator)
}

/// Prints JSON; its values stay as they are.
func say(json bytes: [UInt8]) {
  print(PrintableText.json(String(decoding: bytes, as: UTF8.self)))
}

/// How a command ends that cannot do what it was asked: one line on stderr, and an exit code.
func complain(_ error: MountError) -> ExitCode {
  let line = "feedfs: \(PrintableText.line(error.description))\n"
  _ = write(STDERR_FILENO, line, line.utf8.count)
  return ExitCode(error.code.rawValue)
}
