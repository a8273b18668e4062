import ArgumentParser
package import Quantities

/// Parses the text of an option that is written as in `config.toml`.
package func written<Value: WrittenValue>(_ text: String) throws -> Value {
  guard let value = Value(parsing: text) else {
    throw ValidationError("write it \(Value.form)")
  }
  return value
}
