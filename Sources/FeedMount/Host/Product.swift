/// What the program says of itself to others.
package enum Product {
  package static let version = "0.1.0"
  static let userAgent = "feedfs/\(version)"
}
