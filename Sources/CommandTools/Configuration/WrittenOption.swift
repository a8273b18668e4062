import ArgumentParser
package import Quantities

/// Parses an option whose text has the same form as in `config.toml`.
package func written<Value: WrittenValue>(_ text: String) throws -> Value {
  guard let value = Value(parsing: text) else {
    throw ValidationError("write it \(Value.form)")
  }
  return value
}
