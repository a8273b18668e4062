/// The command line options.
struct Options {
  var root: String?
  var address = "127.0.0.1"
  var port: UInt16 = 0
  var network = NetworkModel()
  var stays = false

  static let usage = """
    testorigin [--root DIR] [--address 127.0.0.1] [--port N] [--latency-ms N] [--connect-ms N] \
    [--rate BYTES_PER_S] [--stay]
    """

  init(_ arguments: some Sequence<String>) throws(OptionError) {
    var rest = Array(arguments)[...]
    while let name = rest.popFirst() {
      if name == "--stay" {
        stays = true
        continue
      }
      guard let value = rest.popFirst() else { throw OptionError(Self.usage) }
      try take(name, value)
    }
  }

  private mutating func take(_ name: String, _ value: String) throws(OptionError) {
    switch name {
    case "--root": root = value
    case "--address": address = value
    case "--port": port = try number(name, UInt16(value))
    case "--latency-ms": network.latency = .milliseconds(try number(name, Int(value)))
    case "--connect-ms": network.connect = .milliseconds(try number(name, Int(value)))
    case "--rate": network.rate = try number(name, Int(value))
    default: throw OptionError("unknown option \(name)\n\(Self.usage)")
    }
  }

  private func number<N: Numeric & Comparable>(_ name: String, _ value: N?) throws(OptionError) -> N
  {
    guard let value, value >= 0 else {
      throw OptionError("\(name) needs a number that is not negative")
    }
    return value
  }
}
