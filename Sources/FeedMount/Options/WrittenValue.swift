/// A value that the user writes as a text, on the command line or in `config.toml`.
package protocol WrittenValue {
  /// The way to write such a value, as "as bytes (500M, 20G)". Messages put it behind the words
  /// "write it".
  static var form: String { get }

  /// Parses a text; nil if the text is no such value.
  init?(parsing text: String)
}
