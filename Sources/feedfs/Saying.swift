import Feeds

/// Prints lines, without what could steer a terminal: all that commands have to say goes this way.
func say(_ text: String, terminator: String = "\n") {
  print(PrintableText.lines(text), terminator: terminator)
}

/// Prints JSON; its values stay as they are.
func say(json bytes: [UInt8]) {
  print(PrintableText.json(String(decoding: bytes, as: UTF8.self)))
}
