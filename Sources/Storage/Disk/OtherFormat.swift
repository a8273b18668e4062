/// The reason why an undamaged file of feedfs is not read: its format has a number that this feedfs
/// does not read.
package enum OtherFormat: Error, Hashable, Sendable {
  /// The format is older than the one that this feedfs reads. The file is set aside: see `OldFile`.
  case older
  /// A later feedfs wrote the file. It stays as it is.
  case newer

  /// The end of a sentence that begins with the path of the file.
  package var words: String {
    switch self {
    case .older: "has an older format that feedfs cannot read, and is renamed to NAME.old"
    case .newer: "was written by a later feedfs, and stays as it is"
    }
  }

  /// Makes the reason from the number of a file's format; nil if the number is `known`, which this
  /// feedfs reads.
  package init?(_ number: Int, known: Int) {
    guard number != known else { return nil }
    self = number < known ? .older : .newer
  }

  /// Makes the reason from a text whose first line is "feedfs NAME NUMBER"; nil if the number is
  /// `known`, which this feedfs reads, or if there is no such line.
  package init?(of text: some StringProtocol, named name: String, known: Int) {
    let words = text.prefix { $0 != "\n" }.split(separator: " ")
    guard words.count == 3, words[0] == "feedfs", words[1] == name, let number = Int(words[2])
    else {
      return nil
    }
    self.init(number, known: known)
  }
}
