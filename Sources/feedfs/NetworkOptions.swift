import ArgumentParser

/// How commands that ask origins reach them.
struct NetworkOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Private addresses that feeds may name, such as 10.0.0.0/8. The host you typed is reached anyway.",
      valueName: "cidr"))
  var allowPrivate: [String] = []

  @Option(help: ArgumentHelp("Ask through this proxy.", valueName: "url"))
  var proxy: String?

  @Option(
    help: ArgumentHelp(
      "Believe the authorities in this file (PEM) instead of the system's.", valueName: "file"),
    completion: .file())
  var cacert: String?
}
