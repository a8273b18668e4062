import ArgumentParser
import FeedMount
import Feeds
import Glibc

/// How a command ends that cannot do what it was asked: one line on stderr, and an exit code.
func complain(_ error: MountError) -> ExitCode {
  let line = "feedfs: \(PrintableText.line(error.description))\n"
  _ = write(STDERR_FILENO, line, line.utf8.count)
  return ExitCode(error.code.rawValue)
}
