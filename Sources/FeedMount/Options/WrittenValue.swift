/// A value that the user writes as a text, on the command line or in `config.toml`.
package protocol WrittenValue {
  /// The way to write it, which follows the words "write it": "as bytes (500M, 20G)".
  static var form: String { get }

  /// Parses a text; nil: the text is no such value.
  init?(parsing text: String)
}
