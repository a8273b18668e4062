import ArgumentParser
package import Quantities

/// Parses the text of an option whose value is the same in `config.toml`.
package func written<Value: WrittenValue>(_ text: String) throws -> Value {
  guard let value = Value(parsing: text) else {
    throw ValidationError("write it \(Value.form)")
  }
  return value
}
