/// Tells with which key a fragment is encrypted (AES-128 in CBC mode).
package struct FragmentKey: Hashable, Sendable {
  /// The position of the key in the list of all keys of the stream.
  package let number: Int
  /// The initialisation vector, 16 bytes.
  package let vector: [UInt8]
}
