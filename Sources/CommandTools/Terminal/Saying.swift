package import ArgumentParser
package import Host
import Glibc
import Markup

/// Prints lines, without characters that could control a terminal.
package func say(_ text: String, terminator: String = "\n") {
  print(PrintableText.lines(text), terminator: terminator)
}

/// Prints JSON. Characters that could control a terminal become JSON escapes, so the values stay
/// the same.
package func say(json bytes: [UInt8]) {
  print(PrintableText.json(String(decoding: bytes, as: UTF8.self)))
}

/// Prints lines of a table. Cuts lines that are wider than the terminal.
package func say(table lines: [String]) {
  let face = TerminalFace.own(plain: false)
  for line in lines { say(face.cut(StyledLine(line)).text(coloured: false)) }
}

/// Prints a remark on stderr, in one line. The command goes on after it.
package func remark(_ text: String) {
  let line = "feedfs: \(PrintableText.line(text))\n"
  _ = write(STDERR_FILENO, line, line.utf8.count)
}

/// Reports the error of a failed command in one line on stderr; returns its exit code.
package func complain(_ error: CommandError) -> ExitCode {
  let line = "feedfs: \(PrintableText.line(error.description))\n"
  _ = write(STDERR_FILENO, line, line.utf8.count)
  return ExitCode(error.code.rawValue)
}
