import FoundationEssentials
package import SystemPackage

/// A value in a small file, such as the user's kept entries or a player's position.
///
/// A damaged file counts as missing, and the previous file is read instead. A file of an older
/// format is set aside. A file of a later feedfs stays as it is, and after reading it `write` does
/// nothing: see `OtherFormat`. The file is replaced as a whole or not at all: see `SnapshotFile`.
///
/// For any thread; each call blocks on the disk.
package struct SavedValue<Value: Sendable>: Sendable {
  private let file: SnapshotFile
  private let format: StateFormat<Value>

  package init(
    in folder: FilePath, name: String, as format: StateFormat<Value>, on disk: Disk = .real
  ) {
    file = SnapshotFile(in: folder, name: name, on: disk)
    self.format = format
  }

  /// Returns the value; nil if there is none that can be read.
  package func read() -> Value? {
    (try? file.read(accept: format.decode)) ?? nil
  }

  /// Replaces the value. Returns false if the disk does not take it.
  @discardableResult
  package func write(_ value: Value) -> Bool {
    guard let bytes = try? format.encode(value) else { return false }
    return (try? file.write(bytes)) != nil
  }
}

/// The code that makes the bytes of a file from a value, and the value from the bytes.
package struct StateFormat<Value: Sendable>: Sendable {
  /// Throws if the bytes are damaged or of another format.
  let decode: @Sendable ([UInt8]) throws -> Value
  let encode: @Sendable (Value) throws -> [UInt8]
}

/// The error for a file that does not begin as its format demands.
private struct NoHead: Error {}

/// The two fields in which a JSON document can have the number of its format.
private struct NumberedDocument: Decodable {
  let format: Int?
  let schema: Int?
}

extension StateFormat where Value: Codable {
  /// A JSON document.
  ///
  /// - Parameter number: the number of the format that is read. A document has its number in
  ///   `format` or `schema`. If nil, a document needs no number.
  package static func json(_ number: Int? = nil) -> StateFormat {
    StateFormat { bytes in
      let data = Data(bytes)
      if let number {
        let document = try JSONDecoder().decode(NumberedDocument.self, from: data)
        guard let own = document.format ?? document.schema else { throw NoHead() }
        if let other = OtherFormat(own, known: number) { throw other }
      }
      return try JSONDecoder().decode(Value.self, from: data)
    } encode: { value in
      Array(try JSONEncoder().encode(value))
    }
  }
}

extension StateFormat where Value == String {
  /// The text in UTF-8, and nothing else.
  package static var text: StateFormat {
    StateFormat {
      String(decoding: $0, as: UTF8.self)
    } encode: {
      Array($0.utf8)
    }
  }
}

extension StateFormat {
  /// Rows of words after the line "feedfs NAME NUMBER".
  ///
  /// - Parameters:
  ///   - maxBytes: the number of bytes that are read. All bytes after them are ignored.
  ///   - read: returns the value for the rows, each split into words. It leaves out rows that it
  ///     cannot read.
  ///   - write: returns the rows for a value, each as one line without its end.
  package static func rows(
    _ name: String, _ number: Int, maxBytes: Int,
    read: @escaping @Sendable ([[Substring]]) -> Value,
    write: @escaping @Sendable (Value) -> [String]
  ) -> StateFormat {
    let head = "feedfs \(name) \(number)"
    return StateFormat { bytes in
      let text = String(decoding: bytes.prefix(maxBytes), as: UTF8.self)
      if let other = OtherFormat(of: text, named: name, known: number) { throw other }
      let rows = text.split(separator: "\n")
      guard rows.first == head[...] else { throw NoHead() }
      return read(rows.dropFirst().map { $0.split(separator: " ") })
    } encode: { value in
      Array(([head] + write(value)).map { $0 + "\n" }.joined().utf8)
    }
  }
}
