/// The version of the program, and the User-Agent that it sends.
package enum Product {
  package static let version = "0.1.0"
  package static let userAgent = "feedfs/\(version)"
}
